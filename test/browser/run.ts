import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { ROOT } from '#infra/local/root.ts'
import { chromiumPath } from './chromium.ts'

const HELP = `Usage: npm run test:browser [-- FILES…]

Goes through the console in a headless Chromium, against a service of its own: what people do in it, its looks at two
widths in light and dark, what axe-core finds, what a first load weighs. Needs Debian's package chromium, or another
Chromium named by CHROMIUM; where there is none it is skipped, and fails under CI=true.
`
const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', short: 'h' } },
  allowPositionals: true,
})
if (values.help === true) {
  process.stdout.write(HELP)
} else if (chromiumPath() === null) {
  process.stdout.write(
    'skipped: test:browser (no Chromium: install the package chromium, or name one by CHROMIUM)\n',
  )
  process.exit(process.env.CI === 'true' ? 1 : 0)
} else {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/browser/vitest.config.ts', ...positionals],
    { cwd: ROOT, stdio: 'inherit' },
  )
  process.exit(status ?? 1)
}
