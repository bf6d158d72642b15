"""CSS of a model's page, in addition to that of pages about speakers."""

from __future__ import annotations

STYLE = """
:root{--warn:#b3261e}
@media (prefers-color-scheme:dark){:root{--warn:#ff8a80}}
.notes li{padding:3px 0 3px 16px;position:relative;max-width:92ch;overflow-wrap:anywhere}
.notes li::before{content:"";position:absolute;left:2px;top:12px;width:5px;height:5px;
  border-radius:50%;background:var(--a)}
.people{margin:18px 0 0}
.scroll{overflow-x:auto}
.numbers td,.numbers th{padding:4px 0 4px 16px;text-align:right;white-space:nowrap}
.numbers th:first-child{padding-left:0;text-align:left;font-weight:600}
.numbers .left{text-align:left}
.numbers tbody tr{border-top:1px solid var(--track)}
.numbers .warn{color:var(--warn);font-weight:600}
.told tbody tr{border:0}.told tbody tr.first{border-top:1px solid var(--grid)}
.told th[rowspan]{vertical-align:top}
.told .what,.told thead th:nth-child(2){text-align:left;white-space:normal}
.told .chart{width:30%;min-width:120px}
.told .sure{font-weight:600}.told .unsure{color:var(--muted)}
.lane{position:relative;display:block;height:12px;border-radius:3px;background:var(--track)}
.lane b,.lane s{position:absolute;left:0;top:0;bottom:0;border-radius:3px}
.lane b{background:var(--a)}.lane s{background:var(--outline)}
.movements{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(196px,47%),1fr));gap:14px}
.card{border:1px solid var(--grid);border-radius:8px;padding:8px 10px 6px}
.card figcaption{padding:0;margin:0;min-height:36px;line-height:1.35;color:var(--ink);
  font-size:12.5px}
.card figcaption b{color:var(--a);margin-right:3px}
.card p{margin:2px 0 0;font-size:12.5px}
.pair{display:grid;grid-template-columns:54fr 46fr;gap:8px;align-items:center}
.tables{display:grid;grid-template-columns:1fr 1fr;gap:30px 40px;margin-top:28px;align-items:start}
.tables .hint{margin:0 0 8px}
.tables h3:not(:first-child){margin-top:26px}
.hist-svg{max-width:420px}
.kin text{font-size:9px}
.kin.heat text{font-size:7px}
.kin path.a,.kin path.b,.kin path.rh,.kin path.lh,.kin path.grid,.kin path.mean{fill:none}
.kin path.body,.kin ellipse.body{fill:var(--body);stroke:none}
.kin path.grid{stroke:var(--grid);stroke-width:.8}
.kin.head path.grid,.kin.lower path.grid{stroke:var(--outline);stroke-width:.4;opacity:.5}
.kin circle.grid{fill:var(--outline);opacity:.5}
.kin.mini path.rh,.kin.mini path.lh,.kin.mini path.a{stroke-width:1.3;stroke-linejoin:round;
  stroke-linecap:round;opacity:.75}
.kin.head path.a{stroke-width:1}.kin.lower path.a{stroke-width:.5}
.kin path.rh{stroke:var(--rh)}.kin path.lh{stroke:var(--lh)}.kin path.a{stroke:var(--a)}
.kin.curve path.a{stroke-width:2.4}
.kin.curve circle.b{opacity:.55}
.kin path.mean{stroke:var(--b);stroke-width:1.5}
.kin .ring{fill:none;stroke:var(--ink);stroke-width:1}
.kin .bar-ink{stroke:var(--ink);stroke-width:1.8}
.kin .outline-fill{fill:var(--outline)}.kin .pause-fill{fill:var(--grid)}
.kin .cover{fill:transparent}
@media (max-width:860px){.tables{grid-template-columns:1fr}}
"""
