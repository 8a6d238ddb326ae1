import { readFileSync } from 'node:fs'
import { InvalidArgumentError, type Option } from 'commander'
import {
  readSignOnRule,
  type SignOnRule,
  type SignOnSettings,
} from '../../faces/admin/access/sign-on-settings.ts'
import { isOnThisMachine } from '../../faces/admin/sign-on/provider.ts'
import { option } from '../command.ts'
import { UsageError } from '../failure.ts'

/** The parsed options of `signOnOptions`. */
export type SignOnOptions = {
  signOnIssuer?: URL
  signOnClient?: string
  signOnSecret?: string
  signOnSecretFile?: string
  signOnScopes: string
  signOnName: string
  signOnGroups: string
  signOnRole: SignOnRule[]
  signOnTrustsEmail?: boolean
  signOnInvitedOnly?: boolean
  signOnOnly?: boolean
}

/** Single sign-on of people to the console. */
export function signOnOptions(): Option[] {
  return [
    option(
      '--sign-on-issuer <url>',
      'the provider of single sign-on (OpenID Connect) for the console, such as https://id.example.com/realms/fleet',
    ).argParser(readIssuer),
    option('--sign-on-client <id>', 'the client id of this server at the provider'),
    option(
      '--sign-on-secret <secret>',
      'the client secret; set it in the environment, not on the command line',
    ),
    option('--sign-on-secret-file <file>', 'a file with the client secret'),
    option('--sign-on-scopes <scopes>', 'the scopes to request, separated by spaces')
      .default('openid profile email')
      .argParser(readScopes),
    option('--sign-on-name <text>', "the provider's name on the button").default('single sign-on'),
    option('--sign-on-groups <claim>', "the claim that has a person's groups").default('groups'),
    option(
      '--sign-on-role <rule>',
      'the role that a group has, as in fleet-admins=operator, helpdesk=support, acme-admins=administrator:12 or acme-*=viewer:12 (12 is an organization); repeated, or separated by ;',
    )
      .default([], 'none')
      .argParser(readRules),
    option(
      '--sign-on-trusts-email',
      'trust addresses that the provider does not mark as verified (email_verified, xms_edov); only if nobody can have somebody else’s address at the provider',
    ),
    option(
      '--sign-on-invited-only',
      'refuse people who have no account and no invitation, even if their groups give a role',
    ),
    option('--sign-on-only', 'refuse passwords: people sign in only at the provider'),
  ]
}

/** The settings in the options. Null if single sign-on is not configured. Throws `UsageError`. */
export function signOnOf(options: SignOnOptions): SignOnSettings | null {
  const { signOnIssuer: issuer, signOnClient: clientId } = options
  if (issuer === undefined) {
    if (clientId !== undefined) throw missing('--sign-on-client', '--sign-on-issuer')
    if (options.signOnOnly === true) throw missing('--sign-on-only', '--sign-on-issuer')
    return null
  }
  if (clientId === undefined) throw missing('--sign-on-issuer', '--sign-on-client')
  return {
    ...{ issuer, clientId },
    clientSecret: secretOf(options),
    scopes: options.signOnScopes,
    name: options.signOnName,
    groupsClaim: options.signOnGroups,
    rules: options.signOnRole,
    trustsEmail: options.signOnTrustsEmail === true,
    takesNewPeople: options.signOnInvitedOnly !== true,
    isOnlyWay: options.signOnOnly === true,
  }
}

function missing(given: string, needed: string): UsageError {
  return new UsageError(`${given} requires ${needed}`)
}

function secretOf({ signOnSecret: secret, signOnSecretFile: file }: SignOnOptions): string | null {
  if (file === undefined) return secret ?? null
  if (secret !== undefined) {
    throw new UsageError('use one of --sign-on-secret or --sign-on-secret-file')
  }
  const written = readSecret(file).trim()
  if (written === '') throw new UsageError(`'${file}' of --sign-on-secret-file is empty`)
  return written
}

function readSecret(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { message } = error as Error
    throw new Error(`'${file}' of --sign-on-secret-file cannot be read: ${message}`)
  }
}

function readIssuer(written: string): URL {
  const url = URL.parse(written)
  const isPlain = url !== null && url.search + url.hash + url.username + url.password === ''
  if (!isPlain || (url.protocol !== 'https:' && !isOnThisMachine(url))) {
    throw new InvalidArgumentError(
      'it must be a URL such as https://id.example.com; http:// is allowed only on this machine, for trials',
    )
  }
  return url
}

function readScopes(written: string): string {
  const scopes = written.split(' ').filter((each) => each !== '')
  if (!scopes.includes('openid')) throw new InvalidArgumentError('it must include openid')
  return scopes.join(' ')
}

function readRules(written: string, before: SignOnRule[]): SignOnRule[] {
  const parts = written.split(';').map((part) => part.trim())
  return [...before, ...parts.filter((part) => part !== '').map(readRule)]
}

function readRule(written: string): SignOnRule {
  const rule = readSignOnRule(written)
  if (rule === undefined) {
    throw new InvalidArgumentError(
      `'${written}' must be a group and its role: group=operator, group=support, group=administrator:12 or group=viewer:12`,
    )
  }
  return rule
}
