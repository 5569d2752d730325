//! How the page looks, and the few lines that sort its tables.

pub const STYLE: &str = "
:root{--page:#fff;--ink:#1f2933;--soft:#616e7c;--line:#dde2e8;--pane:#f5f7fa;--good:#0b6e4f;--accent:#1565a8}
@media(prefers-color-scheme:dark){:root{--page:#15191e;--ink:#e4e7eb;--soft:#9aa5b1;--line:#323b45;--pane:#1e242b;--good:#5fd3a5;--accent:#6db3f2}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
main{max-width:1240px;margin:0 auto;padding:1.5rem 1.25rem 3rem}
h1{font-size:1.7rem;line-height:1.2;margin:.2rem 0 .6rem;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:2.4rem 0 .4rem}
h3{font-size:1rem;margin:1rem 0 .2rem}
p{margin:.3rem 0 .8rem;max-width:75ch}
.lead,.note,footer{color:var(--soft)}
.note{font-size:.9rem}
.advice{background:var(--pane);border-left:4px solid var(--accent);border-radius:4px;padding:1rem 1.25rem;margin:1rem 0}
.advice h2{margin:0 0 .5rem;font-size:1.35rem}
.advice ul{margin:.2rem 0;padding-left:1.2rem;max-width:85ch}
.advice li{margin:.25rem 0;overflow-wrap:anywhere}
pre{background:var(--page);border:1px solid var(--line);border-radius:4px;padding:.5rem .75rem;overflow-x:auto;font-size:.85rem;margin:.5rem 0}
code{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}
.box{overflow-x:auto;border:1px solid var(--line);border-radius:4px;max-width:100%}
table{border-collapse:collapse;font-size:.85rem;width:100%}
th,td{padding:.35rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;vertical-align:top}
tr:last-child td,tr:last-child th{border-bottom:0}
thead th{background:var(--pane);vertical-align:bottom;font-weight:600;cursor:default}
thead th[aria-sort]{color:var(--accent)}
th.t,td.t{text-align:left}
td.wrap{white-space:normal;min-width:16rem;overflow-wrap:anywhere}
td small{display:block;color:var(--soft);font-size:.72rem;line-height:1.2}
td.best{color:var(--good);font-weight:700}
td.best small{font-weight:400}
th.name{position:sticky;left:0;background:var(--page);z-index:1;border-right:1px solid var(--line)}
thead th.name{background:var(--pane)}
th.name{text-align:left;font-weight:600}
th.name small{display:block;font-weight:400;color:var(--soft);font-size:.72rem}
.meter{display:inline-block;height:.6rem;background:var(--accent);border-radius:2px;min-width:1px;vertical-align:middle}
td.bar{text-align:left;min-width:9rem;width:40%}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(210px,1fr));gap:.9rem}
.grid.small{grid-template-columns:repeat(auto-fill,minmax(140px,1fr));gap:.6rem;margin-top:.7rem}
.grid.pairs{grid-template-columns:repeat(auto-fill,minmax(330px,1fr))}
figure{margin:0;border:1px solid var(--line);border-radius:4px;overflow:hidden;background:var(--pane);min-width:0}
figcaption{padding:.35rem .6rem .45rem;font-size:.82rem;line-height:1.3;border-top:1px solid var(--line);background:var(--page);overflow-wrap:anywhere}
figcaption small{color:var(--soft);display:block}
figure{position:relative}
.zoom{display:block;color:inherit;text-decoration:none;cursor:zoom-in}
.shut{display:none}
figure:target{position:fixed;inset:3vh 3vw;z-index:9;display:flex;flex-direction:column;box-shadow:0 0 0 100vmax rgba(0,0,0,.55);background:var(--page)}
figure:target .zoom{flex:1;min-height:0;cursor:default;background:var(--pane)}
figure:target .zoom>svg{width:100%;height:100%}
figure:target .two{height:100%;align-items:center}
figure:target .shut{display:block;position:absolute;top:.6rem;right:.8rem;padding:.2rem .7rem;border-radius:4px;background:var(--accent);color:var(--page);text-decoration:none}
.first{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:1rem;margin:.8rem 0}
dl.best{margin:.3rem 0;grid-template-columns:max-content minmax(0,1fr)}
dl.best dd{color:var(--ink)}
dl.best small{color:var(--soft)}
th.name small{white-space:normal;max-width:19rem}
figure .two{display:grid;grid-template-columns:1fr 1fr}
figure .two>span+span{border-left:1px solid var(--line)}
figure .two small{display:block;font-size:.72rem;color:var(--soft);padding:.2rem .5rem 0}
.bars{padding:.5rem}
.key{display:flex;flex-wrap:wrap;gap:.2rem .9rem;font-size:.82rem;margin:.2rem 0 .8rem;align-items:center}
.key span{display:inline-flex;align-items:center;gap:.3rem;overflow-wrap:anywhere}
.key svg{width:.9rem;height:.9rem;flex:none}
.key svg path{fill:none;stroke-linecap:round;stroke-width:10}
.key svg.scale{width:9rem}
.key svg.scale path{stroke-linecap:butt;stroke-width:20}
details{margin:.4rem 0;border:1px solid var(--line);border-radius:4px;padding:.4rem .8rem}
details[open]{padding-bottom:.8rem}
summary{cursor:pointer}
footer{margin-top:2.5rem;font-size:.85rem;border-top:1px solid var(--line);padding-top:.6rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;font-size:.88rem}
dt{font-weight:600}
dd{margin:0;color:var(--soft)}
@media(max-width:520px){main{padding:1rem .8rem 2rem}h1{font-size:1.4rem}.advice{padding:.8rem .9rem}.grid{grid-template-columns:repeat(auto-fill,minmax(150px,1fr))}.grid.pairs{grid-template-columns:1fr}dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}th.name{min-width:7.5rem;max-width:10.5rem;white-space:normal}}
@media print{.advice,figure{break-inside:avoid}}
";

pub const SCRIPT: &str = "
document.querySelectorAll('table.sorted').forEach(function(table){
var head=table.tHead.rows[0];
Array.prototype.forEach.call(head.cells,function(cell,column){
cell.style.cursor='pointer';
cell.addEventListener('click',function(){
var up=cell.getAttribute('aria-sort')==='descending';
Array.prototype.forEach.call(head.cells,function(other){other.removeAttribute('aria-sort')});
cell.setAttribute('aria-sort',up?'ascending':'descending');
var rows=Array.prototype.slice.call(table.tBodies[0].rows);
var key=function(row){var own=row.cells[column];var n=parseFloat(own.dataset.v);return isNaN(n)?own.textContent:n};
rows.sort(function(a,b){var x=key(a),y=key(b);var order=typeof x==='number'&&typeof y==='number'?x-y:String(x).localeCompare(String(y));return up?order:-order});
rows.forEach(function(row){table.tBodies[0].appendChild(row)});
});});});
";
