import type { Command } from 'commander'
import { ACCESS_SETTING_ACTS, ACCESS_SETTING_RULES } from '../../acts/access-setting-acts.ts'
import type { Act } from '../../acts/act.ts'
import { INVITATION_ACTS } from '../../acts/issued-acts.ts'
import { PEOPLE_ACTS } from '../../acts/people-acts.ts'
import { INVITATION_MS, type PERSON, personIn, RESET_MS } from '../../acts/people-bodies.ts'
import { PEOPLE_SESSION_ACTS } from '../../acts/session-acts.ts'
import { EMAIL, PERSON_NAME } from '../../base/domain/access-settings.ts'
import { type Account, foldEmail, type Role } from '../../base/domain/account.ts'
import { DAY_MS, HOUR_MS } from '../../base/domain/time/time.ts'
import type { Store } from '../../engine/store/store.ts'
import { type ActFace, actCommand, callOn, runAct } from '../act-command.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import { UsageError } from '../failure.ts'
import {
  addSettingOptions,
  givenBody,
  id,
  newRoleOption,
  refuseMisplacedRole,
  roleOption,
  roleOrganizationOption,
  settingReader,
} from '../options.ts'
import { linkOf } from '../serve/greeting.ts'
import { consoleAt, consoleUrlOption, isOfThisMachine } from '../serve/listener-addresses.ts'
import { card, listing } from '../terminal.ts'

const { deployment, organization } = PEOPLE_ACTS
const PERSON_WORDS = 'the id or the e-mail address'

export function peopleCommands(description: string): Command {
  return group('people', description, [
    actCommand(
      { deployment: deployment.list, organization: organization.list },
      {
        name: 'list',
        examples: ['people list', 'people list --org 1'],
        options: (to) =>
          to.addOption(
            option('--org <id>', 'only people with a role in this organization').argParser(id),
          ),
        show: ({ items }) =>
          listing(items, [
            'id',
            'email',
            'name',
            ['ROLES', ({ roles }) => roles.map(inWords).join(', ')],
            ['CODES', ({ has_totp }) => (has_totp ? 'yes' : 'no')],
            'disabled_at',
            'last_sign_in_at',
          ]),
      },
    ),
    ...invitationCommands(),
    rolesCommand(),
    ...personCommands(),
    settingsCommand(),
  ])
}

function invitationCommands(): Command[] {
  const { deployment, organization } = INVITATION_ACTS
  return [
    actCommand(
      { deployment: deployment.issue, organization: organization.issue },
      {
        name: 'invite',
        description:
          'create a one-time URL that gives somebody a role, and an account if there is none',
        examples: [
          'people invite ada@example.com --role operator',
          'people invite bob@example.com --role viewer --org 1 --console-url https://console.example.com',
        ],
        options: (to) =>
          to
            .argument('<email>', 'the e-mail address; nothing is sent to it', settingReader(EMAIL))
            .addOption(roleOption())
            .addOption(roleOrganizationOption())
            .addOption(consoleUrlOption()),
        body({ role, org }, _, email: string) {
          refuseMisplacedRole(role as Role, org)
          return { email, role }
        },
        async show({ invitation, secret }, { store, body }, { options }) {
          const to = `Give this link to ${foldEmail(body.email as string)}`
          const { link, text } = await linkAnswer(store, options, secret, to, INVITATION_MS)
          return { json: { ...invitation, link }, text }
        },
      },
    ),
    actCommand(deployment.list, {
      name: 'invitations',
      description: 'list the invitations that nobody has accepted yet',
      examples: ['people invitations'],
      show: ({ items }) =>
        listing(items, [
          'id',
          // The link of the first account has no address.
          ['EMAIL', ({ email }) => email ?? 'whoever has the link'],
          'role',
          ['ORG', 'organization'],
          'issued_by',
          'expires_at',
        ]),
    }),
    actCommand(deployment.revoke, {
      name: 'uninvite',
      examples: ['people uninvite 3'],
      numbers: { invitation: { as: 'invitationid' } },
      show: (json) => ({ json, text: card(json) }),
    }),
  ]
}

/** The commands on one person. */
function personCommands(): Command[] {
  return [
    personCommand(deployment.update, {
      name: 'disable',
      description: 'refuse sign-in to a person; ends all sessions at once',
      examples: ['people disable ada@example.com'],
      body: () => ({ is_disabled: true }),
      show: personAnswer,
    }),
    personCommand(deployment.update, {
      name: 'enable',
      description: 'let a person sign in again',
      examples: ['people enable ada@example.com'],
      body: () => ({ is_disabled: false }),
      show: personAnswer,
    }),
    personCommand(deployment.update, {
      name: 'rename',
      description: 'change the name of a person',
      examples: ["people rename ada@example.com 'Ada L.'"],
      options: (to) => to.argument('<name>', 'the new name', settingReader(PERSON_NAME)),
      body: (_, __, name: string) => ({ name }),
      show: personAnswer,
    }),
    personCommand(deployment.unlink, {
      name: 'unlink',
      examples: ['people unlink ada@example.com'],
      show: personAnswer,
    }),
    personCommand(deployment.delete, {
      name: 'delete',
      examples: ['people delete ada@example.com'],
      show: personAnswer,
    }),
    resetCommand(),
    sessionsCommand(),
  ]
}

/** Lists the sessions, which are ended before. */
function sessionsCommand(): Command {
  const { list, end, endAll } = PEOPLE_SESSION_ACTS.deployment
  const after = (act: Act, session?: number): typeof list => ({
    ...list,
    async run(call) {
      await runAct(act, { ...call, params: { ...call.params, session: session! } })
      return list.run(call)
    },
  })
  return personCommand(list, {
    name: 'sessions',
    description: 'list the open sessions of a person, or end them at once',
    examples: [
      'people sessions ada@example.com',
      'people sessions ada@example.com --end 7',
      'people sessions ada@example.com --end-all',
    ],
    options: (to) =>
      to
        .addOption(option('--end <session>', 'end this session, by its id').argParser(id))
        .addOption(option('--end-all', 'end all of them')),
    instead(options) {
      if (options.endAll === true) return after(endAll)
      return options.end === undefined ? undefined : after(end, options.end as number)
    },
    show: ({ items }) =>
      listing(
        items.map(({ is_own, ...shown }) => shown),
        ['id', 'browser', 'created_at', 'last_used_at', 'expires_at'],
      ),
  })
}

/** The settings for all people. */
function settingsCommand(): Command {
  const { getAccessSettings, updateAccessSettings } = ACCESS_SETTING_ACTS
  return actCommand(getAccessSettings, {
    name: 'settings',
    description: 'show or change the access settings of the deployment',
    examples: ['people settings', 'people settings --requires-totp'],
    options: (to) => addSettingOptions(to, ACCESS_SETTING_RULES),
    body: (options) => givenBody(ACCESS_SETTING_RULES, options),
    instead: ({ requiresTotp }) => (requiresTotp === undefined ? undefined : updateAccessSettings),
    show: (json) => ({ json, text: card(json) }),
  })
}

function personCommand<Answer>(act: Act<Answer>, face: ActFace<Answer>): Command {
  const find = async (store: Store, written: string) => (await personOf(store, written)).id
  return actCommand(act, { numbers: { person: { words: PERSON_WORDS, find } }, ...face })
}

function resetCommand(): Command {
  return personCommand(deployment.reset, {
    name: 'reset',
    examples: [
      'people reset ada@example.com',
      'people reset 3 --console-url https://console.example.com',
    ],
    options: (to) => to.addOption(consoleUrlOption()),
    async body(_, { store, params }) {
      const { disabledAt, email } = (await store.accounts.find(params.person!))!
      if (disabledAt === null) return {}
      throw new Error(`this person is disabled; run 'fleetgate people enable ${email}' first`)
    },
    async show({ secret }, { store, params }, { options }) {
      const { id, email, isLinked } = (await store.accounts.find(params.person!))!
      const to = `Give this link to ${email}`
      const { link, text } = await linkAnswer(store, options, secret, to, RESET_MS)
      const note = isLinked
        ? `\n\nThe person can still use single sign-on. If somebody else may have linked it: 'fleetgate people unlink ${email}'.`
        : ''
      return { json: { person: id, email, link }, text: `${text}${note}` }
    },
  })
}

/** The person of an id or an address. */
async function personOf({ accounts }: Store, written: string): Promise<Account> {
  const found = /^\d+$/.test(written)
    ? await accounts.find(id(written))
    : await accounts.byEmail(foldEmail(written))
  if (found !== null) return found
  throw new Error(
    `there is no person ${written}; 'fleetgate people list' lists them, and 'fleetgate people invite' creates a link for somebody new`,
  )
}

function inWords({ role, organization }: { role: Role; organization: number | null }): string {
  return organization === null ? role : `${role} of ${organization}`
}

/** The link of a secret, for somebody to be given. */
async function linkAnswer(
  store: Store,
  { consoleUrl }: Readonly<Record<string, unknown>>,
  secret: string,
  what: string,
  lastsMs: number,
) {
  const url = await consoleAt(store, consoleUrl as string | undefined)
  const link = linkOf({ url, setup: secret })
  return { link, text: linkText(link, what, lastsMs, url) }
}

function linkText(link: string, what: string, lastsMs: number, consoleUrl: string): string {
  const hint = isOfThisMachine(consoleUrl)
    ? [
        `The link works on this machine only. If people reach the console at another address, start the server with --console-url https://console.example.com, or use that option here.`,
      ]
    : []
  const time = lastsMs > DAY_MS ? `${lastsMs / DAY_MS} days` : `${lastsMs / HOUR_MS} hours`
  return [`${what}; it works once, for ${time}:\n\n  ${link}`, ...hint].join('\n\n')
}

/** Shows roles, or sets one in the place that `--org` names. */
function rolesCommand(): Command {
  return command('roles', 'show the roles of a person, or set one', [
    'people roles ada@example.com',
    'people roles ada@example.com --role administrator --org 1',
    'people roles ada@example.com --org 1 --remove',
  ])
    .argument('<person>', PERSON_WORDS)
    .addOption(newRoleOption())
    .addOption(roleOrganizationOption())
    .addOption(option('--remove', 'remove the role: in the organization, or in the deployment'))
    .action(onStore(roles))
}

type RoleOptions = { role?: Role; org?: number; remove?: boolean }

async function roles(
  store: Store,
  { role, org, remove = false }: RoleOptions,
  written: string,
): Promise<CommandResult> {
  if (role !== undefined && remove) throw new UsageError('use one of --remove or --role')
  const { id: person } = await personOf(store, written)
  if (role !== undefined) refuseMisplacedRole(role, org)
  if (role !== undefined || remove) {
    const body = { role: role ?? null }
    await (org === undefined
      ? runAct(deployment.update, callOn(store, { person }, body))
      : runAct(organization.update, callOn(store, { person, organization: org }, body)))
  }
  return personAnswer(personIn(await personOf(store, String(person)), null))
}

function personAnswer(json: ReturnType<typeof PERSON.write>): CommandResult {
  const { roles, ...rest } = json
  return { json, text: card({ ...rest, roles: roles.map(inWords).join(', ') }) }
}
