// A fresh process that does what Lambda does at a cold start: loads one function and gives it its first event.
// Plain JavaScript: nothing but the function itself may load modules. Arguments: file, event file; prints one line of JSON.
const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)
const { readFileSync } = process.getBuiltinModule('node:fs')
const { pathToFileURL } = process.getBuiltinModule('node:url')

const [file, eventFile] = process.argv.slice(2)
const event = JSON.parse(readFileSync(eventFile, 'utf8'))
const context = { awsRequestId: 'first', functionName: 'function', getRemainingTimeInMillis: () => 28_000 }
// Besides undici and http2: child processes, which nothing but the SDK's own search for credentials starts; the Web's
// streams and cryptography, which to ask for is to load; the promises of files, which bring what reads a terminal.
const UNWANTED =
  /undici\/undici|NativeModule http2|internal\/http2|NativeModule child_process|internal\/webstreams|internal\/crypto\/webcrypto|NativeModule fs\/promises/
const loaded = () => process.moduleLoadList.filter((name) => UNWANTED.test(name))
// The function's own log lines are kept apart from the result.
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = () => true

const cpuBefore = process.cpuUsage()
const before = performance.now()
const { handler } = file.endsWith('.cjs') ? require(file) : await import(pathToFileURL(file).href)
const imported = performance.now()
const loadedAtImport = loaded()
const answer = await handler(event, context)
const answered = performance.now()
const cpu = process.cpuUsage(cpuBefore)
write(
  `${JSON.stringify({
    import_ms: imported - before,
    first_ms: answered - imported,
    cpu_ms: (cpu.user + cpu.system) / 1000,
    status: answer?.statusCode ?? null,
    body: answer?.body ?? JSON.stringify(answer ?? null),
    loaded_at_import: loadedAtImport,
    loaded_after_first: loaded(),
  })}\n`,
  // A long answer is more than a pipe takes at once.
  () => process.exit(0),
)
