import type { Command } from 'commander'
import { FEED_TOKEN } from '../../../access/secret.ts'
import { FEED_CLIENTS, type FeedClient } from '../../../domain/credential.ts'
import { FEED_TOKEN_RULES } from '../../../domain/settings/access-settings.ts'
import { helpOf } from '../../../domain/settings/rule.ts'
import { traccarForward } from '../../../domain/traccar-forward.ts'
import type { Store } from '../../../store/store.ts'
import { option } from '../../command.ts'
import type { OwnerOptions } from '../owner.ts'
import { feedAt, isOfThisMachine } from './addresses.ts'
import { credentialCommands, type Own } from './credentials.ts'

const KIND = {
  noun: 'token',
  secret: FEED_TOKEN,
  own: { options: addClientOption, read: ownIn, fields: ['client'] },
} as const

export function feedTokenCommands(): Command {
  return credentialCommands({
    ...KIND,
    name: 'feed-token',
    description: 'feed tokens: trackers send positions with them',
    store: (store) => store.feedTokens,
    use,
  })
}

/** Tokens with which one server sends the positions of several organizations. */
export function deploymentTokenCommands(): Command {
  return credentialCommands({
    ...KIND,
    name: 'token',
    ofDeployment: { name: 'routing token' },
    description: 'feed tokens of the deployment: one server sends for several organizations',
    store: (store) => store.deploymentTokens,
    use: async (store, token) => {
      const origin = await feedAt(store)
      return `${introduction(origin)}\n\n${traccarUse(origin, token)}`
    },
  })
}

type IssueOptions = OwnerOptions & { client?: FeedClient }

function addClientOption(to: Command): Command {
  return to.addOption(
    option('--client <app>', helpOf(FEED_TOKEN_RULES.client)).choices(FEED_CLIENTS),
  )
}

async function ownIn(_: Store, { client }: IssueOptions): Promise<Own> {
  return {
    ...{ scope: null, scenario: null, recipient: null, purpose: null },
    client: client ?? null,
  }
}

/** Lines to copy, one for each kind of sender. */
async function use(store: Store, token: string): Promise<string> {
  const origin = await feedAt(store)
  const row = JSON.stringify([
    { ident: 'van-12', time_device: '2026-11-20T10:00:00Z', latitude: 41.01, longitude: 28.97 },
  ])
  return `${introduction(origin)}

  A program
    curl -H 'x-feed-token: ${token}' --json '${row}' ${origin}/feed/v1/positions

  A phone with Traccar Client, or a tracker that speaks OsmAnd: its server URL
    ${origin}/feed/v1/${token}/osmand

${traccarUse(origin, token)}`
}

function introduction(origin: string): string {
  return isOfThisMachine(origin)
    ? `Send positions with it, at the address that your feed has in place of ${origin}:`
    : 'Send positions with it:'
}

function traccarUse(origin: string, token: string): string {
  const lines = traccarForward(origin, token).map((line) => `    ${line}`)
  return ['  A Traccar server: in its traccar.xml', ...lines].join('\n')
}
