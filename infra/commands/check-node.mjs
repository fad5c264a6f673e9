// Runs under any Node, so it is plain JavaScript without imports of its own.
// Alone it checks the runtime; with a file as first argument it then runs that file with the rest of the arguments.
// One process for both: a signal or a kill reaches the command itself and not a shell between.

/** The runtime that Lambda has; the package `node` brings it. */
const WANTED = 'v24.'

if (!process.version.startsWith(WANTED)) {
  process.stderr.write(
    `Node 24 is needed, this is ${process.version}: the package "node" brings it, but its install script did not run. ` +
      'Run `npm approve-scripts node && npm rebuild node` (npm before 11.16: `npm rebuild node --ignore-scripts=false`) and use the npm scripts.\n',
  )
  process.exit(1)
}

const file = process.argv[2]
if (file !== undefined) {
  const { resolve } = await import('node:path')
  const { pathToFileURL } = await import('node:url')
  const path = resolve(file)
  process.argv.splice(1, 2, path)
  await import(pathToFileURL(path).href)
}
