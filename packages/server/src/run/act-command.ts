import { json } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Act, ActCall, Actor } from '../acts/act.ts'
import { JsonReply, StreamedReply, type ValueOf } from '../acts/act-reply.ts'
import { openDisclosing } from '../acts/disclosing.ts'
import type { Body } from '../acts/input.ts'
import { storeAlone } from '../acts/known.ts'
import { Refused } from '../acts/refused.ts'
import type { Place } from '../acts/two-places.ts'
import { ITEM_NOUNS, ITEM_TOPICS } from '../base/domain/item-rules.ts'
import { systemClock } from '../base/domain/time/time.ts'
import { openDisclosureCounts } from '../data/usage/disclosure-counts.ts'
import type { Store } from '../engine/store/store.ts'
import { type CommandResult, command, onStore, type SharedOptions } from './command.ts'
import {
  addParameterOptions,
  addSettingOptions,
  type ClearableReader,
  givenBody,
  givenQuery,
  id,
  ownerOption,
  refuseEmpty,
} from './options.ts'
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
  /**
   * The numbers of the path whose arguments have other names, or other words than "its id". `find`: the number of
   * something that is written otherwise.
   */
  numbers?: Readonly<
    Record<
      string,
      { as?: string; words?: string; find?(store: Store, written: string): Promise<number> }
    >
  >
  /** Another act, which these options ask for. */
  instead?(options: Options): Act | undefined
  /**
   * The settings of the body have options by their rules, apart from `others`; `clearable` reads those that have a word
   * for null. A change needs one of them.
   */
  settings?: { others?: readonly string[]; clearable?: ClearableReader }
  /** Adds arguments and options. A parameter of the query has one by its rule. */
  options?(made: Command): Command
  /** The query, if its parameters have no options. */
  query?(options: Options): Record<string, unknown>
  /** `given`: the arguments after the numbers of the path. */
  body?(options: Options, call: ActCall, ...given: never[]): Body | Promise<Body>
  /** Names the lost things, as the end of "this deletes …". The command asks, or takes `--yes`. */
  deletes?(call: ActCall): Promise<string>
  /** The same for what is not a deletion, as a sentence. Null: it does not ask. */
  confirms?(call: ActCall): Promise<string | null>
  /** `deleted`: what `deletes` named. */
  show(
    answer: ValueOf<Answer>,
    call: ActCall,
    given: { options: Options; deleted: string },
  ): CommandResult | Promise<CommandResult>
}

/** A command of an act in two places does that of an organization if `--org` is given, which is among its options. */
export function actCommand<Answer>(
  act: Act<Answer> | Record<Place, Act<Answer>>,
  face: ActFace<Answer>,
): Command {
  const isPlaced = 'deployment' in act
  const first = isPlaced ? act.deployment : act
  const { name, examples, description = inHelp(first.summary), numbers = {}, deletes } = face
  const made = command(name, description, examples)
  const isOption = (number: string) => number === 'organization' && !(number in numbers)
  const named = numbersOf(first)
  for (const each of named) {
    const { as = each, words = 'its id', find } = numbers[each] ?? {}
    if (isOption(each)) made.addOption(ownerOption())
    else if (find === undefined) made.argument(`<${as}>`, words, id)
    else made.argument(`<${as}>`, words)
  }
  const settings = first.takes?.rules ?? {}
  const { others = [], clearable } = face.settings ?? {}
  if (face.settings) addSettingOptions(made, settings, others, clearable)
  face.options?.(made)
  const { rules = {}, defaults = {} } = first.query ?? {}
  if (face.query === undefined) addParameterOptions(made, { rules, defaults })
  if (deletes ?? face.confirms) made.addOption(yesOption())
  return made.action(
    onStore(async (store: Store, options: Options, ...given: never[]) => {
      const params: Record<string, number> = {}
      const rest: unknown[] = [...given]
      for (const each of named) {
        const value = isOption(each) ? options.org : rest.shift()
        const find = numbers[each]?.find
        params[each] = (find === undefined ? value : await find(store, String(value))) as number
      }
      const isOwned = isPlaced && options.org !== undefined
      if (isOwned) params.organization = options.org as number
      const query = face.query?.(options)
      const bare = {
        ...callOn(store, params),
        query: query === undefined ? givenQuery(rules, options) : queryOf(query),
      }
      const set = face.settings ? givenBody(settings, options) : {}
      const body = { ...set, ...(await face.body?.(options, bare, ...(rest as never[]))) }
      if (face.settings && first.method === 'PATCH') refuseEmpty(body)
      const call = { ...bare, body }
      const deleted = (await deletes?.(call)) ?? ''
      const asked = deletes ? `this deletes ${deleted}` : ((await face.confirms?.(call)) ?? null)
      if (asked !== null) await confirm(asked, { yes: options.yes === true })
      const chosen = face.instead?.(options) ?? (isOwned ? act.organization : first)
      const answer = (await runAct(chosen, call)) as ValueOf<Answer>
      return face.show(answer, call, { options, deleted })
    }),
  )
}

/** Runs an act, and stores what it disclosed. A refusal for a thing that is missing names the command that lists those there are. */
export async function runAct<Answer, Call extends ActCall>(
  act: { run(call: Call): Promise<Answer> },
  call: Call,
): Promise<ValueOf<Answer>> {
  try {
    const answer: unknown = await act.run(call)
    const isStream = answer instanceof StreamedReply
    const value = isStream ? await json(answer.body) : answer
    await call.known.writeCounts()
    if (value instanceof JsonReply) return JSON.parse(value.text.toString())
    return value as ValueOf<Answer>
  } catch (error) {
    throw error instanceof Refused ? inWords(error, call) : error
  }
}

/** Parameters that are undefined are left out. */
function queryOf(values: Readonly<Record<string, unknown>>): URLSearchParams {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, `${value}`])))
}

/** The command line does what an operator does, and has no account. */
const BY: Actor = {
  account: null,
  roles: [{ role: 'operator', organization: null }],
  issuer: { account: null, token: null },
  session: null,
  endsAt: null,
}

export function callOn(store: Store, params: ActCall['params'], body: Body = {}): ActCall {
  const counts = openDisclosureCounts(store.disclosures, systemClock)
  return {
    ...{ store, by: BY, params, body, query: new URLSearchParams() },
    known: { ...storeAlone(store), writeCounts: counts.write },
    disclosed: openDisclosing(counts, systemClock)(BY, params.organization ?? 0),
    inTurn: (_, work) => work(),
    now: Date.now(),
  }
}

/** The command that lists the things of a kind. `--org` follows where they belong to an organization. */
const LISTS: Readonly<Record<string, string>> = {
  organization: 'org list',
  ...Object.fromEntries(ITEM_TOPICS.map((topic) => [ITEM_NOUNS[topic], `${topic} list`])),
  webhook: 'webhook list',
  delivery: 'webhook deliveries',
  rule: 'routing rules list',
  mapping: 'import mappings',
  person: 'people list',
  invitation: 'people invitations',
  session: 'people sessions',
  token: 'token list',
  'API key': 'key list',
  'feed token': 'feed-token list',
  'feed token of the deployment': 'routing token list',
}

function inWords(refused: Refused, { params, body }: ActCall): Error {
  const { missing, field, fact } = refused
  if (fact !== null) {
    const option = `--${field!.replaceAll('_', '-')}`
    return new Error(
      `${fact}; 'fleetgate org update ${params.organization} ${option} NUMBER' raises it`,
    )
  }
  const list = missing === null ? undefined : LISTS[missing]
  if (list === undefined) return refused
  const { organization, ...others } = params
  if (missing === 'organization') return noSuch(`${missing} ${organization}`, list)
  const [number = (body as Record<string, unknown>)[missing!], ...within] =
    Object.values(others).reverse()
  if (organization === undefined) return noSuch(`${missing} ${number}`, list)
  const listed = [`fleetgate ${list} --org ${organization}`, ...within.reverse()].join(' ')
  return new Error(
    `organization ${organization} has no ${missing} ${number}; '${listed}' lists them`,
  )
}

function noSuch(thing: string, list: string): Error {
  return new Error(`there is no ${thing}; 'fleetgate ${list}' lists them`)
}

function numbersOf({ path }: Pick<Act, 'path'>): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
}

/** The summary of an act as the help of its command: one sentence, without its capital. */
function inHelp(summary: string): string {
  const parts = summary.split('. ')
  return parts.map((part) => `${part.slice(0, 1).toLowerCase()}${part.slice(1)}`).join('; ')
}
