/** How a report looks, by day and by night, on a desk and on a phone. */
export const REPORT_STYLE = `
:root { --ground: #fff; --sheet: #f6f7f9; --ink: #1c2530; --faint: #566270; --line: #d5dae1; --accent: #0b62c4; --gone: #a31621; --fresh: #14682f }
@media (prefers-color-scheme: dark) {
  :root { --ground: #12161c; --sheet: #1b212a; --ink: #e6eaf0; --faint: #9fabba; --line: #36404d; --accent: #7db4ff; --gone: #ff9a9f; --fresh: #7fd698 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 1240px; margin: 0 auto; padding: 20px }
h1 { font-size: 1.5rem; margin: 0 0 12px; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 32px 0 10px; border-bottom: 1px solid var(--line); padding-bottom: 4px }
h3 { font-size: 1rem; margin: 0 0 4px }
h4 { font-size: .9rem; margin: 10px 0 2px }
a { color: var(--accent) }
p { margin: 4px 0 }
ul, ol { margin: 4px 0; padding-left: 22px }
li, dd, p, h3 { overflow-wrap: anywhere }
.card { display: grid; grid-template-columns: max-content 1fr; gap: 6px 16px; margin: 0; padding: 16px; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px }
.card dt { font-weight: 600; color: var(--faint) }
.card dd { margin: 0 }
.chart { width: 100% }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 360px), 1fr)); gap: 14px }
figure { margin: 0; padding: 10px; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; min-width: 0 }
figcaption { font-size: .85rem; font-weight: 600; overflow-wrap: anywhere }
article { padding: 12px 14px; margin: 10px 0; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px }
.evidence { list-style: none; padding: 0 }
.evidence > li { padding: 10px 14px; margin: 8px 0; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px }
.evidence > li:target { outline: 2px solid var(--accent) }
pre { margin: 6px 0 0; padding: 8px; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .82rem }
.diff .gone { color: var(--gone) }
.diff .fresh { color: var(--fresh) }
.diff .file { font-weight: 600 }
.quiet { color: var(--faint); font-size: .88rem }
.digest { overflow-wrap: anywhere; font-size: .78rem }
@media (max-width: 640px) {
  main { padding: 12px }
  .card { grid-template-columns: 1fr; gap: 0; padding: 12px }
  .card dd { margin-bottom: 8px }
}
@media print { .chart { break-inside: avoid } }
`
