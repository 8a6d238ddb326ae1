import { readFile } from 'node:fs/promises'
import { type PullOutcome, pullFleet } from './pull-fleet.ts'
import { type PullOptions, pullHelp, readPullOptions, UsageError } from './pull-options.ts'
import { openProgress } from './pull-progress.ts'

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
    return await run(options, around)
  } catch (error) {
    say(around, sentenceOf(error, around.signal))
    return error instanceof UsageError ? EXIT.wrongUse : EXIT.failed
  }
}

async function run(options: PullOptions, around: Surroundings): Promise<number> {
  const apiKey = await keyOf(options.key)
  const began = performance.now()
  const line = openProgress(around.stderr, () => performance.now())
  const outcome = await pullFleet(options, apiKey, around.signal, ({ objects, of, rows }) => {
    line.show(() => {
      const rate = Math.round((rows * 1000) / (performance.now() - began))
      return `${objects} of ${of} objects, ${grouped(rows)} rows, ${grouped(rate)} rows/s`
    })
  }).finally(() => line.end())
  const seconds = Math.round(performance.now() - began) / 1000
  around.stdout.write(
    `${options.json ? JSON.stringify({ ...outcome, seconds }) : textOf(outcome, options, seconds)}\n`,
  )
  for (const { id, error, warning } of outcome.objects) {
    if (warning !== undefined) say(around, `object ${id}: ${warning}`)
    if (error !== undefined) say(around, `object ${id}: ${error}`)
  }
  return outcome.objects.every(({ error }) => error === undefined) ? EXIT.done : EXIT.failed
}

async function keyOf(key: PullOptions['key']): Promise<string> {
  if ('value' in key) return key.value
  try {
    return (await readFile(key.file, 'utf8')).trim()
  } catch (error) {
    throw new Error(`the key cannot be read: ${(error as Error).message}`)
  }
}

function textOf({ objects, to }: PullOutcome, { out }: PullOptions, seconds: number): string {
  const added = objects.reduce((sum, each) => sum + each.added, 0)
  return `${grouped(added)} new rows of ${grouped(objects.length)} objects in ${out}, up to ${to}, in ${seconds} s`
}

/** Shows an error with its causes: only the cause tells why a connection failed. */
function sentenceOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'stopped before the end: the same command goes on from here'
  const messages: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each.message !== '' && !messages.includes(each.message)) messages.push(each.message)
  }
  return messages.join(': ') || String(error)
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
