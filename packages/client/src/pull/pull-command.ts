import { QuotaExhaustedError } from '../errors.ts'
import { readKey } from './key-option.ts'
import { pullHelp } from './option-texts.ts'
import { type PullOptions, readPullOptions } from './pull-options.ts'
import { openProgress } from './pull-progress.ts'
import { type PullOutcome, type PullProgress, runPull } from './run-pull.ts'
import { UsageError } from './usage-error.ts'

/** The surroundings of a command: the process, or a test. */
export type Surroundings = {
  /** The command's name: `fleetgate pull`, or `fleetgate-pull`. */
  program: string
  env: NodeJS.ProcessEnv
  stdout: Pick<NodeJS.WriteStream, 'write'>
  stderr: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>
  signal: AbortSignal
}

const EXIT = { done: 0, failed: 1, wrongUse: 2 } as const

/** `fleetgate pull`. Resolves with the exit code. Errors go to stderr. */
export async function pullCommand(args: string[], around: Surroundings): Promise<number> {
  const { program, stdout } = around
  try {
    const options = readPullOptions(args, around.env)
    if (options === 'help') {
      stdout.write(pullHelp(program))
      return EXIT.done
    }
    await run(options, around)
    return EXIT.done
  } catch (error) {
    say(around, sentenceOf(error, around.signal))
    return error instanceof UsageError ? EXIT.wrongUse : EXIT.failed
  }
}

async function run(options: PullOptions, around: Surroundings): Promise<void> {
  const apiKey = await readKey(options.key)
  const began = performance.now()
  const secondsSince = () => Math.round(performance.now() - began) / 1000
  const line = openProgress(around.stderr, () => performance.now())
  const outcome = await runPull(options, apiKey, around.signal, (progress) => {
    line.show(() => progressOf(progress, secondsSince()))
  }).finally(() => line.end())
  const seconds = secondsSince()
  const text = options.json
    ? JSON.stringify({ ...outcome, seconds })
    : textOf(outcome, options, seconds)
  around.stdout.write(`${text}\n`)
  const different = outcome.verified?.different ?? 0
  if (different > 0) {
    throw new Error(
      `${grouped(different)} days of objects still differ from the server; run verify again`,
    )
  }
}

function progressOf({ outcome, settling }: PullProgress, seconds: number): string {
  if (settling !== undefined) return `${settling.file}: ${grouped(settling.rows)} rows`
  const { changes, requests } = outcome
  const rate = Math.round(changes / seconds)
  return `${grouped(changes)} changes, ${grouped(requests)} requests, ${grouped(rate)} changes/s`
}

function textOf(outcome: PullOutcome, options: PullOptions, seconds: number): string {
  const text = pulledText(outcome, options, seconds)
  if (outcome.verified === undefined) return text
  const { days, repaired } = outcome.verified
  return `${text}\n${grouped(days)} days of objects compared, ${grouped(repaired)} repaired`
}

function pulledText(outcome: PullOutcome, { to }: PullOptions, seconds: number): string {
  const { changes, positions, requests, written, removed } = outcome
  const came = `${grouped(changes)} changes, ${grouped(positions)} of them positions`
  const cost = `with ${grouped(requests)} requests in ${seconds} s`
  if ('database' in to) return `${came}, ${cost}`
  return `${came}, ${cost}; ${written.length} files written and ${removed.length} removed in ${to.out}`
}

/** Shows an error with its causes: only the cause says why a connection failed. */
function sentenceOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted)
    return 'stopped before the end: run the same command again to continue from here'
  const messages: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    const { message } = each
    if (message !== '' && !messages.some((said) => said.includes(message))) messages.push(message)
  }
  const sentence = messages.join(': ') || String(error)
  return error instanceof QuotaExhaustedError
    ? `${sentence} The same command then continues from here`
    : sentence
}

/**
 * Removes characters that could break the line or control a terminal: a server's message is not trusted.
 */
function say({ program, stderr }: Surroundings, text: string): void {
  stderr.write(`${program}: ${text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()}\n`)
}

function grouped(value: number): string {
  return value.toLocaleString('en')
}
