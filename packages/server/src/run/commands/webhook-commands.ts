import type { Command } from 'commander'
import type { ActCall } from '../../acts/act.ts'
import { WEBHOOK_ACTS } from '../../acts/webhook-acts.ts'
import { CHANGEABLE_RULES, type deliveryDocument } from '../../acts/webhook-bodies.ts'
import { CHANGES_FROM } from '../../base/domain/item-rules.ts'
import { DAY_MS, HOUR_MS } from '../../base/domain/time/time.ts'
import { originOf } from '../../base/domain/webhook.ts'
import type { Store } from '../../engine/store/store.ts'
import { givenGrants, grantOption, grantText } from '../access/grant-option.ts'
import { actCommand, callOn, runAct } from '../act-command.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import { UsageError } from '../failure.ts'
import {
  addSettingOptions,
  duration,
  givenBody,
  id,
  type OwnerOptions,
  orAll,
  ownerOption,
  refuseEmpty,
} from '../options.ts'
import { type Cell, card, listing } from '../terminal.ts'

const ALL = 'all'
const acts = WEBHOOK_ACTS

export function webhookCommands(description: string): Command {
  return group('webhook', description, [
    actCommand(acts.createWebhook, {
      name: 'create',
      examples: [
        'webhook create --org 1 --url https://example.com/fleet',
        'webhook create --org 1 --url https://example.com/fleet --types positions,states --from now',
        "webhook create --org 1 --form mqtt --url mqtts://broker.example.com --credentials 'fleet:secret'",
      ],
      settings: SETTINGS,
      options: withStart,
      body({ url, from, grant }) {
        if (url === undefined) throw new UsageError('--url is required')
        return { ...givenGrants({ grant }), ...(from !== undefined && { from }) }
      },
      show: withSecret,
    }),
    actCommand(acts.listWebhooks, {
      name: 'list',
      examples: ['webhook list --org 1'],
      show: ({ items }) =>
        listing(items, [
          'id',
          'form',
          'url',
          ['TYPES', ({ types }) => types?.join(',') ?? ALL],
          ['GRANTS', ({ grants }) => grantsText(grants)],
          ['IDS', ({ ids }) => ids?.join(',') ?? ALL],
          'recipient',
          'state',
          'last_delivered_at',
          'failure',
        ]),
    }),
    updateCommand(),
    actCommand(acts.deleteWebhook, {
      name: 'delete',
      examples: ['webhook delete --org 1 3 --yes'],
      async deletes({ store, params: { organization, webhook } }) {
        const found = await store.webhooks.find(organization!, webhook!)
        return `webhook ${webhook}${found === null ? '' : ` to ${originOf(found.url)}`}`
      },
      show: (_, { params: { webhook } }) => ({
        json: { id: webhook, deleted: true },
        text: `Webhook ${webhook} was deleted.`,
      }),
    }),
    actCommand(acts.listWebhookDeliveries, {
      name: 'deliveries',
      description: 'list the newest deliveries with their last try',
      examples: ['webhook deliveries --org 1 3'],
      show: ({ items }) =>
        listing(items, [
          'number',
          'kind',
          'entries',
          'arrived',
          'tries',
          ['LAST TRY', 'tried_at'],
          'status',
          ['MS', 'duration_ms'],
          'delivered_at',
          'failure',
        ]),
    }),
    actCommand(acts.testWebhook, {
      name: 'test',
      description: 'send a test message through the running server',
      examples: ['webhook test --org 1 3'],
      show: askedFor,
    }),
    actCommand(acts.repeatWebhookDelivery, {
      name: 'redeliver',
      description: 'send a delivery again through the running server',
      numbers: { delivery: { words: 'the number of the delivery' } },
      examples: ['webhook redeliver --org 1 3 12'],
      show: askedFor,
    }),
  ])
}

const SETTINGS = { others: ['from', 'grants'], clearable: orAll }

function withStart(to: Command): Command {
  return to
    .addOption(
      option('--from <start>', 'where deliveries start, and start again after a resync').choices([
        ...CHANGES_FROM,
      ]),
    )
    .addOption(grantOption())
}

function settable(to: Command): Command {
  return withStart(addSettingOptions(to, CHANGEABLE_RULES, SETTINGS.others, SETTINGS.clearable))
}

/** One command for two acts: settings and the secret. */
function updateCommand(): Command {
  return settable(
    command('update', 'change a webhook, switch it on or off, or give it a new secret', [
      'webhook update --org 1 3 --on',
      'webhook update --org 1 3 --url https://example.com/other --ids 7,8',
      'webhook update --org 1 3 --rotate-secret --overlap 7d',
    ])
      .argument('<webhook>', 'its id', id)
      .addOption(ownerOption()),
  )
    .addOption(option('--on', 'send changes, from where it stopped'))
    .addOption(option('--off', 'send nothing').conflicts('on'))
    .addOption(option('--rotate-secret', 'create a new secret, and show it once'))
    .addOption(
      option('--overlap <duration>', 'for how long the old secret also signs')
        .argParser((written) => duration(written))
        .default(DAY_MS, '24h'),
    )
    .action(onStore(update))
}

type UpdateOptions = OwnerOptions &
  Record<string, unknown> & { on?: boolean; off?: boolean; rotateSecret?: boolean; overlap: number }

async function update(store: Store, options: UpdateOptions, webhook: number) {
  const { org: organization, on, off, rotateSecret, overlap } = options
  const body = {
    ...givenBody(CHANGEABLE_RULES, options),
    ...givenGrants(options),
    ...((on || off) && { on: on === true }),
  }
  if (!rotateSecret) refuseEmpty(body)
  const params = { organization, webhook }
  const after = await runAct(acts.updateWebhook, callOn(store, params, body))
  if (!rotateSecret) return cardOf(after)
  const rotation = { overlap_hours: overlap / HOUR_MS }
  return withSecret(await runAct(acts.rotateWebhookSecret, callOn(store, params, rotation)))
}

function askedFor(
  delivery: ReturnType<typeof deliveryDocument>,
  { params: { organization, webhook } }: ActCall,
): CommandResult {
  return {
    json: delivery,
    text: `The server sends delivery ${delivery.number} within a second. See its status with 'fleetgate webhook deliveries --org ${organization} ${webhook}'.`,
  }
}

type Issued = { webhook: object; secret: string | null }

function withSecret({ webhook, secret }: Issued): CommandResult {
  if (secret === null) return cardOf(webhook)
  const { json, text } = cardOf({ ...webhook, secret })
  return { json, text: `${text}\n\nSave the secret now: it will not be shown again.` }
}

function cardOf(json: object): CommandResult {
  const cells = Object.entries(json).map(([name, value]) => [
    name,
    name === 'grants' ? grantsText(value) : Array.isArray(value) ? value.join(',') : value,
  ])
  return { json, text: card(Object.fromEntries(cells) as Record<string, Cell>) }
}

function grantsText(grants: Parameters<typeof grantText>[0][] | null): string {
  return grants?.map(grantText).join(' ') ?? ALL
}
