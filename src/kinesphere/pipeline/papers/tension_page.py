"""The page on the mass trackers of the 2022 paper; every number on it is computed."""

from __future__ import annotations

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.character.take_rig import report_of
from kinesphere.dynamics.tension import response
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import Edits, edit
from kinesphere.pipeline.papers.page import Page
from kinesphere.pipeline.papers.tension_effects import GRID, NO_EFFECT, STEP
from kinesphere.pipeline.papers.tension_figures import (
    figure_2,
    figure_3,
    figure_4,
    figure_5,
    figure_gesture,
    figure_inverse,
)
from kinesphere.pipeline.papers.tension_formulas import ASKED, EXAMPLE
from kinesphere.pipeline.papers.tension_gesture import gesture_clip, gesture_of
from kinesphere.pipeline.papers.tension_tables import (
    effect_table,
    gesture_table,
    inverse_table,
    length_text,
    preset_table,
    print_table,
)


def tension_page(take: Take | None) -> Page:
    """The page on the mass trackers of the 2022 paper."""
    ours = gesture_of(gesture_clip(), default_rig())
    pictures = {
        "tension-2.svg": figure_2(),
        "tension-3.svg": figure_3(),
        "tension-4.svg": figure_4(),
        "tension-5.svg": figure_5(),
        "tension-gesture.svg": figure_gesture(ours),
        "tension-inverse.svg": figure_inverse(),
    }
    clip = ""
    if take is not None:
        moving = edit(take, Edits(drop_calibration=True))
        theirs = gesture_of(moving.clip, report_of(moving).rig)
        pictures["tension-clip.svg"] = figure_gesture(theirs)
        clip = _CLIP.format(table=gesture_table(theirs), side=theirs.phases.side)
    error, zeta = response.parameters_for(**ASKED)
    slower = response.damped_frequency_hz(EXAMPLE[0], np.array([0.15, 0.5]))
    text = _PAGE.format(
        presets=preset_table(),
        prints=print_table(),
        effects=effect_table(),
        inverse=inverse_table(),
        gesture=gesture_table(ours),
        clip=clip,
        example=f"rest error {length_text(EXAMPLE[0])}, zeta {EXAMPLE[1]:g}",
        asked_error=length_text(error),
        asked_zeta=f"{zeta:.2f}",
        slower=f"{100.0 * (1.0 - slower[1] / slower[0]):.0f}",
        few=f"{float(response.oscillations(0.5)):.1f}",
        some=f"{float(response.oscillations(0.3)):.1f}",
        many=f"{float(response.oscillations(0.15)):.1f}",
        grid_errors=f"{length_text(GRID[0][0])} to {length_text(GRID[0][-1])}",
        grid_zetas=f"{GRID[1][0]:g} to {GRID[1][-1]:g}",
        grid_speeds=f"{GRID[2][0]:g} to {GRID[2][-1]:g} m/s",
        stroke_speed=f"{ours.peak_speed_m_s:.1f}",
        none=NO_EFFECT,
        step=f"{100.0 * STEP:g}",
        zeta=f"{EXAMPLE[1]:g}",
        rest_error=length_text(EXAMPLE[0]),
        share=f"{100.0 * response.SETTLED:g}",
    )
    return Page(text, pictures)


_PAGE = """\
# Figures of the tension paper

<!-- Written by `kinesphere papers -o docs`; edit src/kinesphere/pipeline/papers instead. -->

Michael Neff, *Tunable Tension for Gesture Animation*, IVA 2022,
[doi 10.1145/3514197.3549631](https://doi.org/10.1145/3514197.3549631). Every number and picture
here is computed from our code. Where a printed formula is wrong, the page says so. To use it, see
[muscular tension](muscular-tension.md).

## Parameters and presets

A small mass hangs on each wrist by a spring and a damper. The mass follows the hand, and the arm
follows the mass. There are two parameters:

- **Rest error** is how far gravity would displace the mass: millimetres are stiff, decimetres are
  loose. (The displacement itself is compensated.) It sets how far and how slowly the hand
  oscillates.
- **Zeta** is the damping ratio: at 0.15 oscillation persists, at 0.5 the hand overshoots once, at 1
  it does not overshoot.

Presets set both:

{presets}

Overshoot is the distance by which a hand that moves at 1 m/s passes its stop; it is proportional
to speed. A swing is a half-cycle: past the stop and back again count as two. Lag is the delay of
the hand; offline the input is advanced by it, so that the timing is kept.

## Effect on a gesture

![A gesture with four tensions](pictures/tension-gesture.svg)

The input is a gesture of our own, made from five keys: it reaches {stroke_speed} m/s and stops
suddenly. In the lower panel, 0 is where the stroke ends, up is its direction. *Loose* overshoots
and returns slowly. *Trembling* arrives on time and oscillates. The retraction is looser than the
stroke.

{gesture}

Lag compensation is exact for constant speed; fast movements are still slightly late.

A hand that decelerates smoothly gives a stiff tracker little to oscillate on. This is why the paper
makes holds constant before it applies tension. The same figure for your own recording:
`kinesphere papers -o pages --clip talk.bvh`.
{clip}
## Parameters for a requested effect

"Three visible oscillations, with 4 cm of overshoot at 1 m/s":

```python
from kinesphere.dynamics.tension.response import parameters_for

rest_error_m, zeta = parameters_for(oscillations=3, overshoot_m=0.04, speed_m_s=1.0)
```

gives a rest error of {asked_error} and a zeta of {asked_zeta}. Inside the band the
oscillation counts as settled: {share} percent of the distance by which the hand lagged behind.

![The response that was asked for](pictures/tension-inverse.svg)

An oscillation here is a half-cycle: past the stop is one, back is the second. For three full cycles
ask for six. The two columns on the right are measured on the tracker's path. The last requested
half-cycle ends just inside the band, so one fewer is visible; the paper's formula counts it too.

{inverse}

## Table 1: effect of each parameter

{effects}

↑ increase it, ↓ decrease it, {none} no effect. The arrows are found by changing each parameter by
{step} percent everywhere between rest errors of {grid_errors}, zetas of {grid_zetas} and
speeds of {grid_speeds}. Stiffness is the inverse of the rest error.

Corrected: the number of swings grows as zeta *de*creases; it is printed the other way round. Zeta
has little effect on the frequency, as the paper says: from 0.15 to 0.5 it falls by {slower}
percent.

## Figure 2: overshoot

![Overshoot by rest error and zeta](pictures/tension-2.svg)

Looser and less damped hands overshoot more. The dots are the strokes of our presets.

Corrected: eq 5 has the wrong sign, and its peak includes the lag. That peak (right) *grows* with
zeta. The visible overshoot, which Table 1 means, is the peak without the lag (left).

## Figure 3: number of swings

![Number of swings by zeta](pictures/tension-3.svg)

At zeta 0.5 there are {few} swings, at 0.3 {some}, at 0.15 {many}, whatever the stiffness.

Corrected: eq 8 has its `theta/2` inside the logarithm, where the result is near zero or
negative (dashed). It counts half-cycles. The formula uses the envelope of the oscillation and
so counts up to one more than the path has (dots).

## Figure 4: stiffness

![Tracking error by rest error](pictures/tension-4.svg)

All at zeta {zeta}. A looser tracker has more lag, more overshoot and a lower frequency, but the
same number of swings.

Corrected: the sign of the oscillating term in eq 3 is minus. As printed (dashed), the mass would
not start on its target. The paper does not print the zeta of its figure; {zeta} is ours. The right
half is ours too: the left one without the lag, as seen at the end of a stroke.

## Figure 5: zeta

![Tracking error by zeta](pictures/tension-5.svg)

All at a rest error of {rest_error}. A smaller zeta gives more swings and less lag.

Corrected: as in Figure 4. Without its lag, the left half is the paper's transient error.

## The printed formulas, checked on one example

For {example}, on a ramp of 1 m/s. The last column comes from the tracker, not
from a formula.

{prints}

## Formulas

With `g` gravity, `v` the speed, `c` the share that counts as settled ({share} percent), and

```
omega = sqrt(g / rest_error)    s = sqrt(1 - zeta^2)    theta = arccos(2 zeta^2 - 1)
```

```
eq 2  x(t)      = v [t - 2 zeta/omega + exp(-zeta omega t) sin(omega s t + theta) / (omega s)]
eq 3  phi(t)    = v [2 zeta/omega - exp(-zeta omega t) sin(omega s t + theta) / (omega s)]
eq 4  t_peak    = (n pi - theta/2) / (omega s)
eq 5  phi_max   = 2 zeta v/omega + overshoot
      overshoot = (v/omega) exp(-zeta (pi - arccos zeta) / s)
eq 6  -2 v zeta/omega + v exp(-zeta omega t) / (omega s) = -(1 - c) 2 v zeta/omega
eq 7  t_settle  = -ln(2 c zeta s) / (zeta omega)
eq 8  n         = [theta/2 - (s/zeta) ln(2 c zeta s)] / pi
eq 9  rest_error = m g / k_s
      lag       = 2 zeta/omega
```

Eqs 2, 4 and 9 are as printed. Near zeta 1 eq 7 diverges; there
`kinesphere.dynamics.tension.response.settling_time_s` uses a tighter bound. Each frame is solved
exactly, so the result does not depend on the frame rate (the paper uses Euler steps, which are
inaccurate for stiff trackers at 60 or 120 frames a second).
"""
_CLIP = """
## Your clip

![A gesture of your clip with four tensions](pictures/tension-clip.svg)

The fastest stroke of the clip, of the {side} hand; one that ends in a hold counts double. Holds are
as recorded; a calibration frame at the start is removed.

{table}
"""
