import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '#infra/root.ts'

/** A program from Python's package index, in an environment of its own below `.local/`. */
export interface PythonTool {
  /** What people call it; also the name of its environment. */
  readonly name: string
  /** Every package with its exact version. */
  readonly requirements: string
}

const environmentOf = ({ name }: PythonTool): string => join(ROOT, '.local', name.toLowerCase())

/** A program of a tool's environment. */
export const programOf = (tool: PythonTool, program: string): string =>
  join(environmentOf(tool), 'bin', program)

/**
 * Installs a tool unless it is there in just these versions.
 * @returns why it cannot be had here, or null once it is there
 */
export function installPythonTool(tool: PythonTool): string | null {
  const probe = 'import sys, venv; sys.exit(0 if sys.version_info >= (3, 10) else 1)'
  if (spawnSync('python3', ['-c', probe], { stdio: 'ignore' }).status !== 0)
    return 'there is no Python 3.10 with venv on the path'
  const environment = environmentOf(tool)
  // What was installed: another list makes the environment anew.
  const installed = join(environment, 'requirements.txt')
  const wanted = readFileSync(tool.requirements, 'utf8')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return null
  process.stderr.write(`installing ${tool.name}…\n`)
  rmSync(environment, { recursive: true, force: true })
  mkdirSync(environment, { recursive: true })
  if (spawnSync('python3', ['-m', 'venv', environment], { stdio: 'ignore' }).status !== 0)
    return 'python3 -m venv failed (Debian has it in python3-venv)'
  const options = ['install', '--quiet', '--disable-pip-version-check', '-r', tool.requirements]
  const { status, stderr } = spawnSync(programOf(tool, 'pip'), options, { encoding: 'utf8' })
  if (status !== 0) return `pip could not install ${tool.name}: ${stderr.trim().split('\n').at(-1) ?? ''}`
  writeFileSync(installed, wanted)
  return null
}

/** Says that a tool is missing: one line, and a failure where nothing may be left out. @returns the exit status */
export function skipWithout(reason: string): number {
  process.stdout.write(`skipped: ${reason}\n`)
  return process.env.CI === 'true' ? 1 : 0
}
