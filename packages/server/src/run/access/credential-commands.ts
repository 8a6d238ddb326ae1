import type { Command, Option } from 'commander'
import type { ActCall } from '../../acts/act.ts'
import type { CredentialActs } from '../../acts/credential-acts.ts'
import type { CREDENTIAL, ISSUED_CREDENTIAL } from '../../acts/credential-bodies.ts'
import { writtenInstant } from '../../acts/document-schema.ts'
import type { Body } from '../../acts/input.ts'
import { CREDENTIAL_RULES } from '../../base/domain/access-settings.ts'
import { stateOf } from '../../base/domain/credential.ts'
import { helpOf } from '../../base/domain/setting-rule.ts'
import { DAY_MS, HOUR_MS, parseInstant } from '../../base/domain/time/time.ts'
import type { NewKey } from '../../engine/store/key-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { actCommand } from '../act-command.ts'
import { type CommandResult, group, option } from '../command.ts'
import { duration, ending, settingReader } from '../options.ts'
import { type Cell, type Column, card, listing } from '../terminal.ts'
import { scopeText } from './scope-text.ts'

/** A kind of secret for organizations or the deployment, and its names on the command line. */
type CredentialCommandKind = {
  acts: CredentialActs
  /** The command's name: `feed-token`. */
  name: string
  /** The names of the group that holds it, in front of its own. */
  within?: string
  /** The name of the secret, and the field that shows it: `token`. */
  noun: string
  description: string
  /** A name as a shell takes it, for the examples. */
  exampleName: string
  /** The options of `issue` that only this kind has, what they say, and its fields. */
  own: {
    options(to: Command): Command
    body(options: Readonly<Record<string, unknown>>): Body
    fields: readonly Own[]
  }
  /** Hints for a new secret, printed below it. */
  use?(store: Store, secret: string): Promise<string>
}

/** The fields that only one of the kinds has. */
type Own = keyof Pick<NewKey, 'scope' | 'scenario' | 'client' | 'recipient' | 'purpose'>
type InApi = ReturnType<typeof CREDENTIAL.write>
type Listed = Column<ReturnType<typeof credentialDocument>>

const OWN_COLUMNS: Readonly<Record<Own, Listed>> = {
  scope: ['SCOPE', ({ scope }) => scopeText(scope)],
  scenario: 'scenario',
  client: 'client',
  recipient: 'recipient',
  purpose: [
    'PURPOSE',
    ({ purpose, lacks_purpose }) => (lacks_purpose ? `${purpose ?? ''} (${LACKING})` : purpose),
  ],
}

const LACKING = 'recipient or purpose missing'

/** `issue`, `list`, `revoke` and `rotate` of one kind. */
export function credentialCommands(kind: CredentialCommandKind): Command {
  const { acts, noun, own, within = '' } = kind
  const name = `${within}${kind.name}`
  const org = acts.list.path.includes('{organization}') ? ' --org 1' : ''
  return group(kind.name, kind.description, [
    actCommand(acts.issue, {
      name: 'issue',
      examples: [
        `${name} issue${org}`,
        `${name} issue${org} --name ${kind.exampleName} --expires 90d --json`,
      ],
      options: (to) =>
        own.options(
          to.addOption(nameOption()).addOption(expiresOption('when it expires', 'never')),
        ),
      body: ({ name, expires, ...options }) => ({
        ...{ name, expires_at: writtenInstant((expires as number | undefined) ?? null) },
        ...own.body(options),
      }),
      show: (issued, call) => secretResult(kind, call, issued),
    }),
    actCommand(acts.list, {
      name: 'list',
      examples: [`${name} list${org}`],
      show: ({ items }, call) => ({
        ...listing(
          items.map((each) => credentialDocument(call, each)),
          columnsOf(kind),
        ),
        json: items.map((each) => documentOf(kind, call, each)),
      }),
    }),
    actCommand(acts.revoke, {
      name: 'revoke',
      examples: [`${name} revoke${org} 3`],
      numbers: { credential: { as: `${noun}id` } },
      show: (revoked, call) => ({
        json: documentOf(kind, call, revoked),
        text: cardOf(call, revoked),
      }),
    }),
    rotateCommand(kind, `${name} rotate${org} 3`),
  ])
}

/** Only the command line says when the new one expires. */
function rotateCommand(kind: CredentialCommandKind, example: string): Command {
  const { acts, noun } = kind
  const act: typeof acts.rotate = {
    ...acts.rotate,
    run({ body: { expires, ...body }, ...call }) {
      return acts.rotateUntil({ ...call, body }, expires as number | undefined)
    },
  }
  return actCommand(act, {
    name: 'rotate',
    examples: [example, `${example} --overlap 7d --expires 90d --json`],
    numbers: { credential: { as: `${noun}id`, words: `the id of the old ${noun}` } },
    options: (to) =>
      to
        .addOption(
          option('--overlap <duration>', `for how long the old ${noun} still works`)
            .argParser((written) => duration(written))
            .default(DAY_MS, '24h'),
        )
        .addOption(
          expiresOption(`when the new ${noun} expires`, 'the lifetime of the old one, from now'),
        ),
    body: ({ overlap, expires }) => ({ overlap_hours: (overlap as number) / HOUR_MS, expires }),
    async show(issued, call) {
      const { items } = await acts.list.run(call)
      const { id, expires_at } = items.find((each) => each.id === call.params.credential)!
      const { json, text } = await secretResult(kind, call, issued)
      return {
        json: { ...json, replaces: { id, expires_at } },
        text: `${text}\n\nThe old ${noun}, ${id}, works until ${expires_at}.`,
      }
    },
  })
}

function columnsOf({ noun, own }: CredentialCommandKind): Listed[] {
  return [
    'id',
    'name',
    [noun.toUpperCase(), ({ prefix, last_four }) => `${prefix}…${last_four}`],
    'state',
    'created_at',
    'expires_at',
    'last_used_at',
    ...own.fields.map((field) => OWN_COLUMNS[field]),
  ]
}

/** A new secret, at the only time when it is shown. */
async function secretResult(
  kind: CredentialCommandKind,
  call: ActCall,
  { credential: issued, secret }: ReturnType<typeof ISSUED_CREDENTIAL.write>,
): Promise<CommandResult> {
  const { noun } = kind
  const json = { ...documentOf(kind, call, issued), [noun]: secret }
  const parts = [
    cardOf(call, issued, { [noun]: secret }),
    `Save the ${noun} now: it will not be shown again.`,
  ]
  if (kind.use !== undefined) parts.push(await kind.use(call.store, secret))
  return { json, text: parts.join('\n\n') }
}

function documentOf({ own }: CredentialCommandKind, call: ActCall, credential: InApi) {
  const fields: readonly string[] = own.fields
  const document = Object.entries(credentialDocument(call, credential))
  return Object.fromEntries(
    document.filter(([field]) => !(field in OWN_COLUMNS) || fields.includes(field)),
  )
}

function cardOf(call: ActCall, credential: InApi, more: Record<string, Cell> = {}): string {
  const { scope, scenario, client, recipient, purpose, lacks_purpose, ...fields } =
    credentialDocument(call, credential)
  const shown = scopeText(scope)
  const opened = {
    ...(shown !== null && { scope: shown }),
    ...(scenario !== null && { scenario }),
    ...(client !== null && { client }),
    ...(recipient !== null && { recipient }),
    ...(purpose !== null && { purpose }),
    ...(lacks_purpose && { lacks_purpose: String(lacks_purpose) }),
  }
  return card({ ...fields, ...opened, ...more })
}

export function nameOption(description = helpOf(CREDENTIAL_RULES.name)): Option {
  return option('--name <name>', description)
    .argParser(settingReader(CREDENTIAL_RULES.name))
    .default('default')
}

export function expiresOption(description: string, absent: string): Option {
  return option(
    '--expires <when>',
    `${description}, a date, a time or a duration such as 90d (default: ${absent})`,
  ).argParser((written) => ending(written, Date.now()))
}

/** The document of the API with the owner and the state, and without the requests. */
export function credentialDocument({ params, now }: ActCall, credential: InApi) {
  const { id, name, prefix, last_four, requests_today, requests_30_days, ...others } = credential
  const timeOf = (written: string | null) => (written === null ? null : parseInstant(written)!)
  const [revokedAt, expiresAt] = [timeOf(others.revoked_at), timeOf(others.expires_at)]
  const state = stateOf({ revokedAt, expiresAt }, now)
  return {
    id,
    organization: params.organization ?? null,
    name,
    prefix,
    last_four,
    state,
    ...others,
  }
}
