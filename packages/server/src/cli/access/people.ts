import type { Command } from 'commander'
import { EMAIL, PERSON_NAME } from '../../domain/access-settings.ts'
import { type Account, foldEmail, type Role } from '../../domain/account.ts'
import { DAY_MS, HOUR_MS } from '../../domain/time/time.ts'
import {
  changedPerson,
  deletePerson,
  INVITATION_MS,
  invitationDocument,
  invite,
  issueReset,
  PERSON,
  personIn,
  RESET_MS,
  unlinkPerson,
} from '../../operator/people.ts'
import { openInvitations } from '../../operator/ways-in.ts'
import type { AccountPatch } from '../../store/access-store.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import { UsageError } from '../failure.ts'
import {
  id,
  newRoleOption,
  noSuch,
  noSuchOrganization,
  organizationOf,
  refuseMisplacedRole,
  roleOption,
  roleOrganizationOption,
  settingReader,
} from '../options.ts'
import { consoleAt, consoleUrlOption, isOfThisMachine } from '../serve/addresses.ts'
import { linkOf } from '../serve/greeting.ts'
import { card, listing } from '../terminal.ts'
import { accessSettingsCommand, sessionsCommand } from './sign-in.ts'

const NOBODY = { account: null, token: null }

export function peopleCommands(description: string): Command {
  return group('people', description, [
    command('list', 'list the people', ['people list', 'people list --org 1'])
      .addOption(option('--org <id>', 'only people with a role in this organization').argParser(id))
      .action(onStore(list)),
    command(
      'invite',
      'make a one-time link that gives somebody a role, and an account if there is none',
      [
        'people invite ada@example.com --role operator',
        'people invite bob@example.com --role viewer --org 1 --console-url https://console.example.com',
      ],
    )
      .argument('<email>', 'the e-mail address; nothing is sent to it', settingReader(EMAIL))
      .addOption(roleOption())
      .addOption(roleOrganizationOption())
      .addOption(consoleUrlOption())
      .action(onStore(inviteSomebody)),
    command('invitations', 'list the invitations that nobody has accepted yet', [
      'people invitations',
    ]).action(onStore(invitations)),
    command('uninvite', 'end an invitation at once', ['people uninvite 3'])
      .argument('<invitationid>', 'its id', id)
      .action(onStore(uninvite)),
    ...personCommands(),
    accessSettingsCommand(),
  ])
}

/** The commands on one person. */
function personCommands(): Command[] {
  return [
    withPerson(
      command('roles', 'show the roles of a person, or set one', [
        'people roles ada@example.com',
        'people roles ada@example.com --role administrator --org 1',
        'people roles ada@example.com --org 1 --remove',
      ]),
    )
      .addOption(newRoleOption())
      .addOption(roleOrganizationOption())
      .addOption(option('--remove', 'remove the role: in the organization, or in the deployment'))
      .action(onStore(roles)),
    withPerson(
      command('disable', 'refuse sign-in to a person; ends all sessions at once', [
        'people disable ada@example.com',
      ]),
    ).action(onStore((store, _, person: string) => setDisabled(store, person, true))),
    withPerson(
      command('enable', 'let a person sign in again', ['people enable ada@example.com']),
    ).action(onStore((store, _, person: string) => setDisabled(store, person, false))),
    withPerson(
      command('rename', 'change the name of a person', ["people rename ada@example.com 'Ada L.'"]),
    )
      .argument('<name>', 'the new name', settingReader(PERSON_NAME))
      .action(onStore(rename)),
    withPerson(
      command(
        'unlink',
        'end the single sign-on of a person, with the sessions that it opened and the roles that it gave',
        ['people unlink ada@example.com'],
      ),
    ).action(onStore(unlink)),
    withPerson(
      command(
        'delete',
        'delete a person, with the sessions of the person and the tokens and invitations that the person issued',
        ['people delete ada@example.com'],
      ),
    ).action(onStore(deleteOne)),
    withPerson(
      command(
        'reset',
        'make a one-time link for a new password; using it ends the codes and sessions of the person',
        [
          'people reset ada@example.com',
          'people reset 3 --console-url https://console.example.com',
        ],
      ),
    )
      .addOption(consoleUrlOption())
      .action(onStore(reset)),
    withPerson(sessionsCommand(personOf)),
  ]
}

function withPerson(to: Command): Command {
  return to.argument('<person>', 'the id or the e-mail address')
}

/** The person of an id or an address. */
async function personOf({ accounts }: Store, written: string): Promise<Account> {
  const found = /^\d+$/.test(written)
    ? await accounts.find(id(written))
    : await accounts.byEmail(foldEmail(written))
  if (found !== null) return found
  throw new Error(
    `there is no person ${written}; 'fleetgate people list' shows those there are, and 'fleetgate people invite' makes a link for somebody new`,
  )
}

async function list(store: Store, { org }: { org?: number }): Promise<CommandResult> {
  if (org !== undefined) await organizationOf(store, org)
  const all = await store.accounts.list()
  const shown = all.filter(
    ({ roles }) => org === undefined || roles.some(({ organization }) => organization === org),
  )
  return listing(
    shown.map((each) => personIn(each, org ?? null)),
    [
      'id',
      'email',
      'name',
      ['ROLES', ({ roles }) => roles.map(inWords).join(', ')],
      ['CODES', ({ has_totp }) => (has_totp ? 'yes' : 'no')],
      'disabled_at',
      'last_sign_in_at',
    ],
  )
}

function inWords({ role, organization }: { role: Role; organization: number | null }): string {
  return organization === null ? role : `${role} of ${organization}`
}

type InviteOptions = { role: Role; org?: number; consoleUrl?: string }

async function inviteSomebody(
  store: Store,
  { role, org, consoleUrl }: InviteOptions,
  email: string,
): Promise<CommandResult> {
  const organization = org ?? null
  refuseMisplacedRole({ role, organization })
  const now = Date.now()
  const issued = await invite(store, { email, role, organization }, NOBODY, now)
  if (typeof issued === 'string') throw noSuchOrganization(organization!)
  const found = { credential: issued.invitation, account: null, issuedBy: null }
  const url = await consoleAt(store, consoleUrl)
  const link = linkOf({ url, setup: issued.secret })
  return {
    json: { ...invitationDocument(found), link },
    text: linkText(link, `Give this link to ${foldEmail(email)}`, INVITATION_MS, url),
  }
}

function linkText(link: string, what: string, lastsMs: number, consoleUrl: string): string {
  const hint = isOfThisMachine(consoleUrl)
    ? [
        `The link works on this machine alone. If people reach the console elsewhere, start the server with --console-url https://console.example.com, or give that option here.`,
      ]
    : []
  const time = lastsMs > DAY_MS ? `${lastsMs / DAY_MS} days` : `${lastsMs / HOUR_MS} hours`
  return [`${what}; it works once, for ${time}:\n\n  ${link}`, ...hint].join('\n\n')
}

async function invitationsOf(store: Store) {
  return (await openInvitations(store, null, Date.now())).map(invitationDocument)
}

async function invitations(store: Store): Promise<CommandResult> {
  return listing(await invitationsOf(store), [
    'id',
    // The link of the first account has no address.
    ['EMAIL', ({ email }) => email ?? 'whoever has the link'],
    'role',
    ['ORG', 'organization'],
    'issued_by',
    'expires_at',
  ])
}

async function uninvite(store: Store, _: object, invitation: number): Promise<CommandResult> {
  const json = (await invitationsOf(store)).find((each) => each.id === invitation)
  const ended = json === undefined ? [] : await store.access.revoke('invitation', invitation)
  if (json !== undefined && ended.length > 0) return { json, text: card(json) }
  throw noSuch('invitation', invitation, 'people invitations')
}

type RoleOptions = { role?: Role; org?: number; remove?: boolean }

async function roles(
  store: Store,
  { role, org, remove = false }: RoleOptions,
  person: string,
): Promise<CommandResult> {
  if (role !== undefined && remove) throw new UsageError('--remove does not go with --role')
  const organization = org ?? null
  const before = await personOf(store, person)
  if (role === undefined && !remove) return personAnswer(before)
  if (role !== undefined) refuseMisplacedRole({ role, organization })
  const patch = { role: { role: role ?? null, organization } }
  return personAnswer(await changed(store, before.id, patch))
}

async function setDisabled(
  store: Store,
  person: string,
  isDisabled: boolean,
): Promise<CommandResult> {
  const { id: account } = await personOf(store, person)
  return personAnswer(await changed(store, account, { isDisabled }))
}

async function rename(
  store: Store,
  _: object,
  person: string,
  name: string,
): Promise<CommandResult> {
  const { id: account } = await personOf(store, person)
  return personAnswer(await changed(store, account, { name }))
}

async function unlink(store: Store, _: object, person: string): Promise<CommandResult> {
  const { id: account } = await personOf(store, person)
  return personAnswer(await unlinkPerson(store, account, null))
}

async function deleteOne(store: Store, _: object, person: string): Promise<CommandResult> {
  const { id: account } = await personOf(store, person)
  return personAnswer(await deletePerson(store, account, null))
}

/** The person after a change. Throws if nothing was changed. */
async function changed(
  { accounts }: Store,
  account: number,
  patch: AccountPatch,
): Promise<Account> {
  const outcome = await accounts.update(account, patch, null, Date.now())
  if (outcome === 'no_organization') throw noSuchOrganization(patch.role!.organization!)
  return changedPerson(outcome)
}

function personAnswer(account: Account): CommandResult {
  const json = PERSON.write(account)
  const { roles, ...rest } = json
  return { json, text: card({ ...rest, roles: roles.map(inWords).join(', ') }) }
}

async function reset(
  store: Store,
  { consoleUrl }: { consoleUrl?: string },
  person: string,
): Promise<CommandResult> {
  const account = await personOf(store, person)
  if (account.disabledAt !== null) {
    throw new Error(`this person is disabled; first 'fleetgate people enable ${account.email}'`)
  }
  const issued = await issueReset(store, account.id, null, Date.now())
  if (issued === null) throw new Error('this person was deleted meanwhile')
  const url = await consoleAt(store, consoleUrl)
  const link = linkOf({ url, setup: issued.secret })
  const text = linkText(link, `Give this link to ${account.email}`, RESET_MS, url)
  const note = account.isLinked
    ? `\n\nSingle sign-on stays a way in. If somebody else may have linked it: 'fleetgate people unlink ${account.email}'.`
    : ''
  return { json: { person: account.id, email: account.email, link }, text: `${text}${note}` }
}
