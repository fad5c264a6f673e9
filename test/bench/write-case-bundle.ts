import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import type { LoadedCase } from './case-files.ts'
import { loadNezhaCase, nezhaCases } from './load-nezha.ts'
import { loadOpensreCase } from './load-opensre-rds.ts'
import { loadPetShopCase } from './load-petshop.ts'
import { loadRootCauseBenchCase } from './load-rootcausebench.ts'
import { loadSockShopCase } from './load-sock-shop.ts'

const HELP = `Usage: npm run bench:bundle -- SET CASE_DIR OUT_DIR

Turns one case of a benchmark set into an incident bundle in OUT_DIR, without anything that tells its truth.

  SET       petshop, rcd-sock-shop, nezha, rootcausebench or opensre-rds
  CASE_DIR  the case's folder; for nezha the day's folder, then # and the number of the fault, from 0
`

async function load(set: string, path: string): Promise<LoadedCase | undefined> {
  switch (set) {
    case 'petshop':
      return loadPetShopCase(path, false)
    case 'rcd-sock-shop':
      return loadSockShopCase(path)
    case 'rootcausebench':
      return loadRootCauseBenchCase(path)
    case 'opensre-rds':
      return loadOpensreCase(path, { alert_text: true, events: true })
    case 'nezha': {
      const [folder = '', index = '0'] = path.split('#')
      const parts = resolve(folder).split(sep)
      const cases = await nezhaCases(parts.slice(0, -2).join(sep), parts.at(-2) ?? '')
      const one = cases.find(
        (candidate) => candidate.folder === resolve(folder) && candidate.index === Number(index),
      )
      return one === undefined ? undefined : loadNezhaCase(one)
    }
    default:
      return undefined
  }
}

const [set, path, out] = process.argv.slice(2)
if (set === undefined || path === undefined || out === undefined) {
  process.stderr.write(HELP)
  process.exitCode = 2
} else {
  const loaded = await load(set, path)
  if (loaded === undefined) {
    process.stderr.write(`there is no set ${set} or no such case in it\n`)
    process.exitCode = 2
  } else {
    await mkdir(out, { recursive: true })
    for (const [name, text] of loaded.files) await writeFile(join(out, name), text)
    process.stdout.write(`${[...loaded.files.keys()].sort().join('\n')}\n`)
    if (loaded.left_out.length > 0) process.stderr.write(`left out: ${loaded.left_out.join(', ')}\n`)
  }
}
