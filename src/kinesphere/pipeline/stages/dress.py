"""The last stage: on whom. A take goes to the character of the cast."""

from __future__ import annotations

from kinesphere.motion.take import Take
from kinesphere.pipeline.retarget import retarget
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.table_values import check_type


def dress(take: Take, cast: Cast) -> Take:
    """Retarget a take to the cast's character; the same take for the default one.

    Examples
    --------
    >>> import kinesphere as ks
    >>> take = ks.idle(1.0)
    >>> dress(take, Cast()) is take
    True
    """
    check_type("the take", take, Take, "a Take")
    check_type("cast", cast, Cast, "a Cast")
    return take if cast.character is None else retarget(take, cast.character)
