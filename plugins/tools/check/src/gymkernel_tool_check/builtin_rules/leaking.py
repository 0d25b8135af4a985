"""GK60x: what an episode leaves to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel_tool_check.definition import Fault, rule
from gymkernel_tool_check.probes.episode_lengths import episode_lengths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel_tool_check.probes.episode_lengths import EpisodeLengths
    from gymkernel_tool_check.subject import Subject

__all__ = ["episodes_keep_their_length"]

SHOW = """env.action_space.seed({seed})
env.reset(seed={seed})
lengths = [0]
while len(lengths) < 6:
    _, _, terminated, truncated, _ = env.step(env.action_space.sample())
    lengths[-1] += 1
    if terminated or truncated:
        env.reset()
        lengths.append(0)
print(lengths[:-1])"""


@rule(
    "GK601",
    "later episodes last as long as the first",
    why="From the second episode on the agent sees a start and an end and nothing between, and learns nothing.",
    mend="Set in reset whatever ends an episode: the counter of steps, the flag, the lives.",
    probe=episode_lengths,
)
def episodes_keep_their_length(subject: Subject, seen: EpisodeLengths) -> Iterator[Fault]:
    """The later episodes of one instance against the first ones of others."""
    if not seen.collapse:
        return
    later = f"{min(seen.later)}" if min(seen.later) == max(seen.later) else f"{min(seen.later)} to {max(seen.later)}"
    step = "step" if later == "1" else "steps"
    first = f"the first episode took {seen.before[0]} steps"
    if len(seen.before) > 1:
        first = f"the first {len(seen.before)} episodes took {min(seen.before)} to {max(seen.before)} steps"
    message = f"{first}, the {len(seen.later)} after {'it' if len(seen.before) == 1 else 'them'} {later} {step} each"
    message += f", where first episodes of other instances take {min(seen.fresh)} and more"
    seed = subject.options.seed
    yield Fault(message, "reset", SHOW.format(seed=seed), seed=seed, episode=1 + len(seen.before), step=max(seen.later))
