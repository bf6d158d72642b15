"""Colours and CSS of a speaker's page and picture, and the HTML frame of a page.

A page opens from disk with no script and no network, light or dark as the viewer's system.
"""

from __future__ import annotations

from kinesphere.export.pages.speaker.speaker_facts import KIND_OF_HAND

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
COLOURS = {  # light, dark
    "paper": ("#ffffff", "#14171c"),
    "ink": ("#1b2027", "#e8ebef"),
    "muted": ("#626b77", "#9aa3af"),
    "grid": ("#e1e5ea", "#2b313b"),
    "track": ("#f1f3f6", "#1d2229"),
    "body": ("#dde2e8", "#2e3641"),
    "outline": ("#8a95a3", "#6b7685"),
    "a": ("#2f7fd6", "#5ea3ec"),
    "b": ("#d9680f", "#f08a3c"),
    "rh": ("#2f7fd6", "#5a9df0"),
    "both": ("#5a43b4", "#b5a4fb"),
    "lh": ("#4fb5a6", "#22907f"),
}
# In a comparison a speaker has one colour, and the hands are shades of it: right, both, left.
_SHADES = {
    "a": (("#2569b5", "#5ea3ec"), ("#7fb0e6", "#3f74ad"), ("#c3daf4", "#2a4768")),
    "b": (("#bd570a", "#f08a3c"), ("#eda366", "#a9642f"), ("#f9d9bf", "#5f3d22")),
}
_FONTS = "system-ui,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif"
_MARK_STYLE = (
    "".join(
        f".kin .{kind}{{fill:var(--{kind})}}"
        for kind in ("paper", "ink", "muted", "track", "body", "a", "b", "rh", "both", "lh")
    )
    + ".kin path.body{stroke:var(--body);stroke-linecap:round;stroke-linejoin:round}"
    + ".kin path.open{fill:none}.kin path.outline{stroke:var(--outline);stroke-linecap:round;"
    + "stroke-linejoin:round}"
    + f".kin{{font-family:{_FONTS}}}"
)


def page_html(title: str, kind: str, body: str) -> str:
    """A whole page about a body; `kind` is ``one`` or ``two`` speakers."""
    style = (
        ":root{color-scheme:light dark;" + _variables(0) + "}" + _shades(0) + "\n"
        "@media (prefers-color-scheme:dark){:root{"
        + _variables(1)
        + "}"
        + _shades(1)
        + "}\n"
        + _MARK_STYLE
        + _PAGE_STYLE
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<link rel="icon" href="data:,">\n<title>{title}</title>\n<style>{style}</style>\n'
        f'</head>\n<body class="{kind}">\n{body}\n</body>\n</html>\n'
    )


def picture_style() -> str:
    """Colours of a stand-alone picture, as CSS."""
    return (
        ":root{" + _variables(0) + "}"
        "@media (prefers-color-scheme:dark){:root{" + _variables(1) + "}}" + _MARK_STYLE
    )


def _variables(column: int) -> str:
    return ";".join(f"--{kind}:{pair[column]}" for kind, pair in COLOURS.items())


def _shades(column: int) -> str:
    """Colours of the hands where two speakers are compared."""
    out = ""
    for role, shades in _SHADES.items():
        named = zip(KIND_OF_HAND.values(), shades, strict=True)
        out += f".two .{role}{{" + ";".join(f"--{k}:{pair[column]}" for k, pair in named) + "}"
    return out


_PAGE_STYLE = (
    f"""
*{{box-sizing:border-box}}
body{{margin:0 auto;max-width:1140px;padding:28px 20px 56px;background:var(--paper);
  color:var(--ink);font:14px/1.45 {_FONTS};font-variant-numeric:tabular-nums}}"""
    """
.a{--c:var(--a)}.b{--c:var(--b)}
header{display:grid;gap:18px 40px;grid-template-columns:1fr}
.two header,.two .hero{grid-template-columns:1fr 1fr}
h1{font-size:34px;line-height:1.15;margin:0;font-weight:680;letter-spacing:-.01em;
  overflow-wrap:anywhere}
.two h1,.two dd.a,.two dd.b{color:var(--rh)}
.over{margin:0 0 2px;color:var(--muted);font-size:12.5px}
.note{margin:8px 0 0;max-width:72ch;color:var(--muted);overflow-wrap:anywhere}
section{border-top:1px solid var(--grid);margin-top:30px;padding-top:22px}
h2{font-size:19px;margin:0;font-weight:650}
h3{font-size:13px;margin:0 0 8px;font-weight:650}
.hint{margin:4px 0 18px;color:var(--muted);max-width:84ch}
ul,ol{list-style:none;margin:0;padding:0}
em{font-style:normal;color:var(--muted)}
b{font-weight:600}
.hero{display:grid;grid-template-columns:minmax(0,11fr) minmax(0,10fr);gap:24px 44px}
figure{margin:0}
svg{display:block;width:100%;height:auto}
figcaption{color:var(--muted);font-size:12.5px;margin-top:4px}
.lead{font-size:17px;line-height:1.5;margin:0 0 22px;text-wrap:pretty}
.two .lead{font-size:15px;margin:12px 0 0}
.two .facts{grid-column:1/-1}.two .facts .key{grid-template-columns:repeat(8,auto)}
.key{display:grid;grid-template-columns:repeat(4,auto);justify-content:space-between;
  gap:18px 20px;margin:0}
.key dt{color:var(--muted);font-size:12.5px}
.key dd{margin:0;font-size:23px;line-height:1.25;font-weight:620;white-space:nowrap}
.key.small{grid-template-columns:repeat(auto-fit,minmax(150px,1fr));margin-bottom:20px}
.key.small dd{font-size:17px;white-space:normal}
.key small{font-size:12.5px;font-weight:400;color:var(--muted)}
.two .key dd{font-size:20px}.two .key.small dd{font-size:16px}
.split{margin-top:24px}.two .split{margin-top:14px}
.split .bar{height:16px}
.legend{display:flex;flex-wrap:wrap;gap:4px 22px;margin-top:8px}
.dot{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:6px}
.inline{display:inline-flex;flex-wrap:wrap;gap:0 5px;align-items:baseline;margin-right:18px}
.inline .dot{margin:0}.inline .dot:not(:first-child){margin-left:8px}
.rh{background:var(--rh)}.both{background:var(--both)}.lh{background:var(--lh)}
.plain,.s0{background:var(--c)}
.s1{background:var(--c);opacity:.55}.s2{background:var(--c);opacity:.3}
.bar{display:flex;gap:1px;height:10px;border-radius:3px;overflow:hidden;background:var(--track)}
.bar i{min-width:1.5px}
.rows li{display:grid;grid-template-columns:var(--name,132px) 1fr auto;gap:10px;
  align-items:center;padding:3px 0;break-inside:avoid}
.rows.wide{columns:2;column-gap:44px}
.rows.pairs{--name:min(262px,50%)}
.name{overflow-wrap:anywhere;line-height:1.25}
.bars{display:grid;gap:2px}
.two .bars .bar{height:8px}
.values{display:grid;text-align:right}
.values>span{white-space:nowrap;line-height:1.3}
.two .values{font-size:12px}
.two .values b{color:var(--rh)}
.wide .values{min-width:82px}.wide .values em{display:inline-block;min-width:34px}
.blocks{display:grid;grid-template-columns:repeat(auto-fit,minmax(290px,1fr));gap:28px 44px}
.blocks.four{grid-template-columns:repeat(auto-fit,minmax(225px,1fr))}
.block .rows{--name:86px}.block .values{min-width:42px}
table{border-collapse:collapse;width:100%}
caption{text-align:left;font-size:13px;font-weight:650;margin-bottom:8px}
th{font-weight:400;text-align:left}
thead th{color:var(--muted);font-size:12.5px}
.matrix{max-width:360px;table-layout:fixed}
.matrix td{position:relative;height:38px;text-align:center;padding:0}
.matrix td i{position:absolute;inset:1.5px;background:var(--c);border-radius:5px}
.matrix td span{position:relative;font-weight:600}
.matrix thead th{text-align:center}.matrix thead th:first-child{text-align:left}
.times th,.times td{padding:2px 0 2px 12px;vertical-align:middle}
.times th:first-child{padding-left:0;overflow-wrap:anywhere;line-height:1.25;width:150px}
.times td:not(.chart),.times thead th:nth-child(n+3){text-align:right;width:76px}
.times td>span{display:block}
.two .times td:not(.chart) span{font-size:12px;line-height:1.35;color:var(--rh);font-weight:600}
.times td.chart{padding:2px 0;
  background:linear-gradient(var(--outline),var(--outline)) var(--zero) 0/1px 100% no-repeat}
.times th.chart{padding:0}
.times .total th,.times .total td{font-weight:650;border-bottom:1px solid var(--grid)}
.axis{position:relative;display:block;height:18px}
.axis i{position:absolute;transform:translateX(-50%);font-style:normal;white-space:nowrap}
.whisker{position:relative;display:block;height:20px}
.two .whisker{height:15px}
.whisker b{position:absolute;top:50%;height:4px;margin-top:-2px;border-radius:2px;
  background:var(--c);opacity:.32}
.whisker i{position:absolute;top:50%;width:9px;height:9px;margin:-4.5px 0 0 -4.5px;
  border-radius:50%;background:var(--c)}
.hist{display:flex;gap:3px;height:150px;align-items:stretch}
.hist li{flex:1;display:flex;flex-direction:column;min-width:0;text-align:center}
.hist span{flex:1;display:flex;gap:1px;align-items:flex-end;padding-top:16px;
  border-bottom:1px solid var(--grid)}
.hist i{flex:1;background:var(--c);border-radius:3px 3px 0 0;position:relative;font-style:normal}
.hist i b{position:absolute;left:-6px;right:-6px;bottom:100%;font-size:11px;font-weight:400;
  color:var(--muted)}
.hist small{font-size:11px;color:var(--muted);line-height:1.7}
.tags li{display:grid;grid-template-columns:minmax(0,310px) 1fr;gap:4px 24px;padding:5px 0;
  border-bottom:1px solid var(--track);align-items:center}
.tag small{color:var(--muted);font-size:12.5px}
.tag b{font-size:13px}
.line{display:grid;grid-template-columns:minmax(60px,230px) 1fr auto;gap:14px;align-items:center}
.said{line-height:1.3}
.two .said b{color:var(--rh)}
.cards{display:grid;gap:28px 24px;margin-top:20px;
  grid-template-columns:repeat(auto-fill,minmax(min(440px,100%),1fr))}
.card figcaption{padding:0 2.86%}
@media (max-width:860px){
.hero,.two .hero{grid-template-columns:1fr}.rows.wide{columns:1}}
@media (max-width:560px){
body{padding:18px 14px 40px}h1{font-size:28px}.two h1{font-size:22px}
.two header{gap:18px 16px}.two .note{font-size:12.5px}
.rows li{gap:8px;grid-template-columns:var(--name,118px) 1fr auto}
.key,.two .facts .key{grid-template-columns:repeat(4,auto);gap:14px 10px}
.key dd{font-size:19px}.two .key dd,.two .key.small dd{font-size:15px}
.key.small{grid-template-columns:repeat(2,1fr)}
.times th,.times td{padding-left:6px}.times th:first-child{width:104px}
.times td:not(.chart),.times thead th:nth-child(n+3){width:40px;font-size:12.5px}
.axis .odd{display:none}
.tags li{grid-template-columns:1fr}.line{grid-template-columns:84px 1fr auto;gap:10px}}
@media print{body{max-width:none}section{break-inside:avoid}}
"""
)
