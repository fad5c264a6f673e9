import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '#infra/root.ts'
import { chromiumPath } from './chromium.ts'

const HELP = `Usage: npm run test:browser [-- [FILES…] [--pictures FOLDER]]

Goes through the console in a headless Chromium, against a service of its own: what people do in it, its looks at two
widths in light and dark, what axe-core finds, what a first load weighs. Needs Debian's package chromium, or another
Chromium named by CHROMIUM; where there is none it is skipped, and fails under CI=true.

  --pictures FOLDER  keeps how every page looked in every state, at both widths, in light and dark
`
const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', short: 'h' }, pictures: { type: 'string' } },
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
  const pictures = values.pictures === undefined ? {} : { PICTURES: resolve(values.pictures) }
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/browser/vitest.config.ts', ...positionals],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...pictures } },
  )
  process.exit(status ?? 1)
}
