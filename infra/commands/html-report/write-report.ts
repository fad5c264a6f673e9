import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { incidentCharts } from '#shared/domain/investigation/screen/incident-charts.ts'
import { summaryCard } from '#shared/domain/investigation/screen/summary-card.ts'
import { reportPage } from './report-page.ts'

/** The script that draws the charts, with the chart library in it. */
export async function chartScript(): Promise<string> {
  const built = await build({
    entryPoints: [fileURLToPath(new URL('draw-charts.ts', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'silent',
  })
  const text = built.outputFiles[0]?.text ?? ''
  // Inside a script element nothing but this ends the script.
  return text.replaceAll('</script', '<\\/script').trim()
}

/**
 * Writes findings as one self-contained page.
 * @param file to write, replaced when it exists
 */
export async function writeReport(
  file: string,
  snapshot: Snapshot,
  findings: Findings,
  snapshot_digest: string,
): Promise<void> {
  const charts = incidentCharts(snapshot, findings)
  const data = { findings, snapshot_digest, card: summaryCard(findings), charts }
  await writeFile(file, reportPage(data, await chartScript()))
}
