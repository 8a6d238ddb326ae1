import type { Command } from 'commander'
import type { Act, ActCall } from '../operator/act.ts'
import type { Body } from '../operator/input.ts'
import { Refused } from '../operator/refused.ts'
import type { Store } from '../store/store.ts'
import { type CommandResult, command, onStore, type SharedOptions } from './command.ts'
import { id, noSuch, ownerOption } from './options.ts'
import { confirm, yesOption } from './terminal.ts'

/*
 * Commands of acts. An act has the words, the checks and the work; a command has names, examples and tables.
 */

type Options = SharedOptions & Record<string, unknown>

/** How the command line shows an act. */
export type ActFace<Answer> = {
  name: string
  examples: string[]
  /** Left out: the summary of the act. */
  description?: string
  /** The words about the numbers of the path, other than "its id". */
  numbers?: Readonly<Record<string, string>>
  /** Adds the options of the body. */
  options?(made: Command): Command
  body?(options: Options, store: Store): Body | Promise<Body>
  /** Names the lost things, as the end of "this deletes …". The command asks, or takes `--yes`. */
  deletes?(call: ActCall): Promise<string>
  show(answer: Answer, params: ActCall['params']): CommandResult
}

export function actCommand<Answer>(act: Act<Answer>, face: ActFace<Answer>): Command {
  const { name, examples, description = uncapitalized(act.summary), deletes } = face
  const made = command(name, description, examples)
  const numbers = numbersOf(act)
  for (const each of numbers) {
    if (each === 'organization') made.addOption(ownerOption())
    else made.argument(`<${each}>`, face.numbers?.[each] ?? 'its id', id)
  }
  face.options?.(made)
  if (deletes !== undefined) made.addOption(yesOption())
  return made.action(
    onStore(async (store: Store, options: Options, ...given: number[]) => {
      const params = paramsOf(act, options, given)
      const body = (await face.body?.(options, store)) ?? {}
      const call = callOn(store, params, body)
      if (deletes !== undefined)
        await confirm(`this deletes ${await deletes(call)}`, { yes: options.yes === true })
      return face.show(await runAct(act, call), params)
    }),
  )
}

/** Runs an act. A refusal for a thing that is missing names the command that lists those there are. */
export async function runAct<Answer>(act: Act<Answer>, call: ActCall): Promise<Answer> {
  try {
    return await act.run(call)
  } catch (error) {
    throw error instanceof Refused ? inWords(error, call) : error
  }
}

export function callOn(store: Store, params: ActCall['params'], body: Body = {}): ActCall {
  return { store, params, body, inTurn: (_, work) => work(), now: Date.now() }
}

/** The command that lists the things of a kind. `--org` follows where they belong to an organization. */
const LISTS: Readonly<Record<string, string>> = {
  organization: 'org list',
  object: 'objects list',
  webhook: 'webhook list',
  delivery: 'webhook deliveries',
}

function inWords(refused: Refused, { params }: ActCall): Error {
  const { missing } = refused
  const list = missing === null ? undefined : LISTS[missing]
  if (list === undefined) return refused
  const { organization, ...others } = params
  if (missing === 'organization') return noSuch(missing, organization!, list)
  const [number, ...within] = Object.values(others).reverse()
  if (organization === undefined) return noSuch(missing!, number!, list)
  const listed = [`fleetgate ${list} --org ${organization}`, ...within.reverse()].join(' ')
  return new Error(
    `organization ${organization} has no ${missing} ${number}; '${listed}' shows those it has`,
  )
}

function numbersOf({ path }: Pick<Act, 'path'>): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
}

function paramsOf(act: Act, { org }: Options, given: readonly number[]): ActCall['params'] {
  const numbers = [...given]
  const numberOf = (name: string) => (name === 'organization' ? (org as number) : numbers.shift()!)
  return Object.fromEntries(numbersOf(act).map((name) => [name, numberOf(name)]))
}

function uncapitalized(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`
}
