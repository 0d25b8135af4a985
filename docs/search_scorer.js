// Orders the results of the search: tutorials and guides, then pages of environments, then the API.
var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    if (/^(tutorials|guides)\//.test(docname)) return score + 200;
    if (/^environments\//.test(docname)) return score + 100;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
