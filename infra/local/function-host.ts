import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { DeployedFunction } from './deployment.ts'
import { type FunctionError, type HostReply, type HostRequest, timedOut } from './function-protocol.ts'

/** What came of an invocation. */
export type InvokeOutcome =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly error: FunctionError }

/** Invokes a function with an event; never rejects, a failure is an outcome. */
export type Invoke = (functionId: string, event: unknown) => Promise<InvokeOutcome>

/** Largest answer Lambda gives to a synchronous invocation. */
const MOST_ANSWER_CHARACTERS = 6_291_556
/** A process that does not answer a ping for so long is stuck in a loop and is ended. */
const PING_MS = 1_000
/**
 * The process itself ends an invocation when its time is over; only when its event loop does not turn does the runner
 * have to. Loading a function (Lambda's init phase) may take that long on top.
 */
const INIT_MS = 10_000
/** How long the process may take to end by itself. */
const END_MS = 500

export interface FunctionHostOptions {
  /** The functions by id; files are below `root`. */
  readonly functions: Readonly<Record<string, Pick<DeployedFunction, 'file' | 'timeoutMs' | 'memoryMb'>>>
  /** Folder that the functions' files are below. */
  readonly root: string
  /** The whole environment of the process: nothing of ours leaks in. */
  readonly environment: Readonly<Record<string, string>>
  /** Where everything goes that functions print, on stdout or stderr. */
  readonly output?: NodeJS.WritableStream
  /** Module that serves invocations; only tests give another. */
  readonly processFile?: string
}

export interface FunctionHost {
  readonly invoke: Invoke
  /** Process id of the process that holds the functions, undefined while there is none. */
  pid(): number | undefined
  /** Ends the process; what is in flight fails. */
  close(): Promise<void>
}

interface Pending {
  readonly settle: (outcome: InvokeOutcome) => void
}

const failure = (type: string, message: string): InvokeOutcome => ({ ok: false, error: { type, message } })

/**
 * Runs functions as Lambda would, all in one process beside the runner: events and answers pass as JSON text, each
 * function has its own time limit, and a crash takes down what was in flight and nothing else: the next invocation
 * starts a new process. The process ends by itself when the runner dies, however it dies.
 */
export function startFunctionHost(options: FunctionHostOptions): FunctionHost {
  const output = options.output ?? process.stderr
  const pending = new Map<number, Pending>()
  /** Functions that the present process has loaded. */
  const loaded = new Set<string>()
  const inFlight = new WeakMap<ChildProcess, Set<number>>()
  let child: ChildProcess | undefined
  let lastId = 0
  let closed = false

  function start(): ChildProcess {
    const started = fork(
      options.processFile ?? fileURLToPath(new URL('function-process.ts', import.meta.url)),
      [],
      {
        env: { ...options.environment },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        serialization: 'json',
        execArgv: ['--enable-source-maps'],
      },
    )
    started.stdout?.pipe(output, { end: false })
    started.stderr?.pipe(output, { end: false })
    const own = new Set<number>()
    inFlight.set(started, own)
    started.on('message', (message: HostReply) => {
      const waiting = pending.get(message.id)
      if (waiting === undefined) return
      if (message.kind === 'failure') waiting.settle({ ok: false, error: message.error })
      else if (message.kind === 'pong') waiting.settle({ ok: true, payload: null })
      else if (message.payload.length > MOST_ANSWER_CHARACTERS) {
        const text = `${message.payload.length} characters are more than Lambda answers`
        waiting.settle(failure('Function.ResponseSizeTooLarge', text))
      } else waiting.settle({ ok: true, payload: JSON.parse(message.payload) as unknown })
    })
    const gone = (reason: string) => {
      if (child === started) {
        child = undefined
        loaded.clear()
      }
      for (const id of [...own]) pending.get(id)?.settle(failure('Runtime.ExitError', reason))
    }
    started.on('exit', (code, signal) => gone(`the process ended with ${signal ?? `exit code ${code}`}`))
    started.on('error', (error) => gone(error.message))
    return started
  }

  function ask(request: HostRequest, limitMs: number, onLimit: (asked: ChildProcess) => InvokeOutcome) {
    child ??= start()
    const asked = child
    const own = inFlight.get(asked)
    own?.add(request.id)
    return new Promise<InvokeOutcome>((resolve) => {
      const timer = setTimeout(() => settle(onLimit(asked)), limitMs)
      const settle = (outcome: InvokeOutcome) => {
        clearTimeout(timer)
        own?.delete(request.id)
        pending.delete(request.id)
        resolve(outcome)
      }
      pending.set(request.id, { settle })
      asked.send(request, (error) => {
        if (error !== null) settle(failure('Runtime.ExitError', error.message))
      })
    })
  }

  /** Ends a process whose event loop does not turn: only so can a function that loops be stopped. */
  function endIfStuck(suspect: ChildProcess): void {
    if (child !== suspect) return
    void ask({ kind: 'ping', id: ++lastId }, PING_MS, (asked) => {
      asked.kill('SIGKILL')
      return failure('Runtime.ExitError', 'the process does not answer')
    })
  }

  return {
    pid: () => child?.pid,
    invoke: (functionId, event) => {
      if (closed) return Promise.resolve(failure('Runtime.ExitError', 'the runner is ending'))
      const definition = options.functions[functionId]
      if (definition === undefined) {
        return Promise.resolve(failure('ResourceNotFoundException', `no function ${functionId}`))
      }
      const request: HostRequest = {
        kind: 'invoke',
        id: ++lastId,
        functionId,
        file: `${options.root}/${definition.file}`,
        event: JSON.stringify(event),
        requestId: randomUUID(),
        timeoutMs: definition.timeoutMs,
        memoryMb: definition.memoryMb,
      }
      const grace = loaded.has(functionId) ? PING_MS : INIT_MS
      return ask(request, definition.timeoutMs + grace, (asked) => {
        endIfStuck(asked)
        return { ok: false, error: timedOut(definition.timeoutMs) }
      }).then((outcome) => {
        if (outcome.ok) loaded.add(functionId)
        return outcome
      })
    },
    close: async () => {
      closed = true
      const ending = child
      if (ending === undefined) return
      const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()))
      const timer = setTimeout(() => ending.kill('SIGKILL'), END_MS)
      ending.disconnect()
      await ended
      clearTimeout(timer)
    },
  }
}
