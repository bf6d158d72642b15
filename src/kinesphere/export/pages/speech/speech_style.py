"""Style, controls and script of a speech picture."""

from __future__ import annotations

from kinesphere.export.pages.speech.speech_layout import COLOURS


def colour_style(*, standalone: bool) -> str:
    """Colours by class, as CSS."""
    if standalone:
        light = ":root{" + _variables(0) + "}"
        light += "@media (prefers-color-scheme:dark){:root{" + _variables(1) + "}}"
    else:
        light = ":root{color-scheme:light;" + _variables(0) + "}"
        light += ":root[data-theme=dark]{color-scheme:dark;" + _variables(1) + "}"
    kinds = "".join(
        f".speech .{kind}{{fill:var(--{kind})}}"
        f".speech path.{kind}{{stroke:var(--{kind});fill:none}}"
        for kind in COLOURS
    )
    return (
        f"{light}{kinds}.speech path.wave{{fill:var(--wave);stroke:none}}"
        ".speech{font-family:system-ui,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif}"
        ".speech path{stroke-linejoin:round;stroke-linecap:round}"
    )


def _variables(column: int) -> str:
    return ";".join(f"--{kind}:{pair[column]}" for kind, pair in COLOURS.items())


PAGE_STYLE = """
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
  font:14px/1.45 system-ui,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif}
header,main,.bar{max-width:1320px;margin:0 auto;padding:0 20px}
header{display:flex;flex-wrap:wrap;gap:6px 28px;align-items:baseline;padding-top:18px}
h1{font-size:19px;margin:0;font-weight:650;overflow-wrap:anywhere}
dl{display:flex;flex-wrap:wrap;gap:2px 20px;margin:0}
dl div{display:flex;gap:6px}dt{color:var(--muted)}dd{margin:0;font-variant-numeric:tabular-nums}
.stick{position:sticky;top:0;z-index:2;background:var(--paper);border-bottom:1px solid var(--grid);
  margin-bottom:10px}
.bar{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;padding-top:10px;
  padding-bottom:10px}
button{font:inherit;color:inherit;background:none;border:1px solid var(--wave);border-radius:7px;
  padding:5px 13px;cursor:pointer;min-width:40px}
button:hover{border-color:var(--muted)}
button:focus-visible{outline:2px solid var(--pitch);outline-offset:2px}
#play{background:var(--ink);color:var(--paper);border-color:var(--ink);min-width:78px;font-weight:600}
#time{font-variant-numeric:tabular-nums;min-width:104px}
.key{display:flex;flex-wrap:wrap;gap:4px 14px;color:var(--muted);font-size:12.5px;margin-left:auto}
.key i{display:inline-block;width:14px;height:3px;border-radius:2px;margin-right:6px;
  vertical-align:middle}
.key i.b{height:10px;width:8px}
main{overflow-x:auto}
svg.line{display:block;width:100%;min-width:760px;height:auto;cursor:pointer;margin-bottom:14px}
.cursor{stroke:var(--ink);stroke-width:1.4;visibility:hidden;pointer-events:none}
.speech text.now{opacity:1;fill:var(--strong)}
.speech rect.now{filter:brightness(1.15) saturate(1.5)}
.speech rect[data-a]:hover{stroke:var(--ink);stroke-width:1}
.speech text{user-select:none}
"""
CONTROLS = """<div class="stick"><div class="bar">
<button id="play" type="button" aria-label="Play or pause">Play</button>
<span id="time" aria-live="off"></span>
<button id="speed" type="button" title="Speed">1&times;</button>
<button id="theme" type="button" title="Light or dark">&#9680;</button>
<div class="key"><span><i style="background:var(--loud)"></i>loudness</span>
<span><i style="background:var(--pitch)"></i>pitch</span>
<span><i class="b" style="background:var(--strong)"></i>accented syllable</span>
<span><i class="b" style="background:var(--weak)"></i>syllable</span>
<span><i style="background:var(--phrase)"></i>phrase</span>
<span>click to go there, space plays</span></div></div></div>
"""
SCRIPT = """
'use strict';
(() => {
const by = id => document.getElementById(id);
const sound = by('sound'), play = by('play'), main = document.querySelector('main');
const root = document.documentElement;
const left = +main.dataset.left, width = +main.dataset.width;
const room = width - left - main.dataset.right;
const lines = [...document.querySelectorAll('svg.line')].map(svg => ({
  svg, from: +svg.dataset.from, length: +svg.dataset.length,
  cursor: svg.querySelector('.cursor')}));
const spans = [...document.querySelectorAll('[data-a]')].map(e => ({
  e, a: +e.dataset.a, b: +e.dataset.b, on: false}));
const last = lines[lines.length - 1], total = last.from + last.length;
function clock(t) {
  const m = Math.floor(t / 60);
  return m + ':' + (t - 60 * m).toFixed(1).padStart(4, '0');
}
let shown = null;
function draw() {
  const t = Math.min(sound.currentTime, total - 1e-4);
  by('time').textContent = clock(t) + ' / ' + clock(total);
  for (const line of lines) {
    const here = t >= line.from && t < line.from + line.length;
    line.cursor.style.visibility = here ? 'visible' : 'hidden';
    if (!here) continue;
    const x = left + (t - line.from) / line.length * room;
    line.cursor.setAttribute('x1', x); line.cursor.setAttribute('x2', x);
    if (shown !== line && !sound.paused) {
      const box = line.svg.getBoundingClientRect();
      if (box.bottom > innerHeight || box.top < 60)
        line.svg.scrollIntoView({block: 'center', behavior: 'smooth'});
    }
    shown = line;
  }
  for (const s of spans) {
    const on = t >= s.a && t < s.b && (t > 0 || !sound.paused);
    if (on !== s.on) { s.on = on; s.e.classList.toggle('now', on); }
  }
  if (!sound.paused) requestAnimationFrame(draw);
}
const toggle = () => sound.paused ? sound.play() : sound.pause();
play.addEventListener('click', toggle);
sound.addEventListener('play', () => { play.textContent = 'Pause'; draw(); });
sound.addEventListener('pause', () => { play.textContent = 'Play'; draw(); });
for (const name of ['seeked', 'loadedmetadata', 'ended']) sound.addEventListener(name, draw);
for (const line of lines) line.svg.addEventListener('click', event => {
  const box = line.svg.getBoundingClientRect();
  const x = (event.clientX - box.left) / box.width * width;
  const t = line.from + Math.min(1, Math.max(0, (x - left) / room)) * line.length;
  sound.currentTime = Math.min(t, total); draw();
});
const speeds = [1, 0.5, 0.25]; let speed = 0;
by('speed').addEventListener('click', () => {
  speed = (speed + 1) % speeds.length; sound.playbackRate = speeds[speed];
  by('speed').textContent = speeds[speed] + '\\u00d7';
});
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.code === 'Space') { if (event.target.tagName !== 'BUTTON') toggle(); else return; }
  else if (event.code === 'ArrowLeft') sound.currentTime = Math.max(0, sound.currentTime - 0.5);
  else if (event.code === 'ArrowRight')
    sound.currentTime = Math.min(total, sound.currentTime + 0.5);
  else return;
  event.preventDefault();
});
const theme = dark => { root.dataset.theme = dark ? 'dark' : 'light'; };
const asked = matchMedia('(prefers-color-scheme: dark)');
theme(asked.matches);
asked.addEventListener('change', event => theme(event.matches));
by('theme').addEventListener('click', () => theme(root.dataset.theme !== 'dark'));
draw();
})();
"""
