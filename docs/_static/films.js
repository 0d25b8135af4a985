// Films stand still where people want less motion, and play where they are seen.
document.addEventListener("DOMContentLoaded", () => {
  const films = document.querySelectorAll("video.film");
  if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
    films.forEach((film) => {
      film.autoplay = false;
      film.controls = true;
      film.pause();
    });
    return;
  }
  const watch = new IntersectionObserver((entries) => {
    entries.forEach((entry) => (entry.isIntersecting ? entry.target.play().catch(() => {}) : entry.target.pause()));
  });
  films.forEach((film) => watch.observe(film));
});
