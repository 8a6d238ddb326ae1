import type { Command } from 'commander'
import { CHANGES_FROM } from '../../domain/items.ts'
import { DAY_MS } from '../../domain/time/time.ts'
import {
  type Delivery,
  WEBHOOK_DEFAULTS,
  WEBHOOK_RULES,
  type Webhook,
  type WebhookSettings,
} from '../../domain/webhook.ts'
import {
  changeWebhook,
  createWebhook,
  deliveryDocument,
  type IssuedWebhook,
  rotateWebhookSecret,
  testWebhook,
  webhookDocument,
} from '../../operator/webhooks.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import { UsageError } from '../failure.ts'
import {
  addSettingOptions,
  duration,
  givenSettings,
  id,
  notOwned,
  type OwnerOptions,
  orAll,
  organizationOf,
  ownerOption,
  refuseEmpty,
} from '../options.ts'
import { type Cell, card, confirm, listing, yesOption } from '../terminal.ts'

const ALL = 'all'

export function webhookCommands(): Command {
  return group('webhook', 'webhooks: endpoints to which the server sends changes', [
    settable(
      command('create', 'register a webhook, and show its secret once', [
        'webhook create --org 1 --url https://example.com/fleet',
        'webhook create --org 1 --url https://example.com/fleet --types positions,states --from now',
      ]),
    ).action(onStore(create)),
    command('list', "list an organization's webhooks", ['webhook list --org 1'])
      .addOption(ownerOption())
      .action(onStore(list)),
    settable(
      command('update', 'change a webhook, switch it on or off, or give it a new secret', [
        'webhook update --org 1 3 --on',
        'webhook update --org 1 3 --url https://example.com/other --ids 7,8',
        'webhook update --org 1 3 --rotate-secret --overlap 7d',
      ]).argument('<webhookid>', 'its id', id),
    )
      .addOption(option('--on', 'send changes, from where it stopped'))
      .addOption(option('--off', 'send nothing').conflicts('on'))
      .addOption(option('--rotate-secret', 'make a new secret, and show it once'))
      .addOption(
        option('--overlap <duration>', 'for how long the old secret also signs')
          .argParser((written) => duration(written))
          .default(DAY_MS, '24h'),
      )
      .action(onStore(update)),
    command('delete', 'delete a webhook with its deliveries', ['webhook delete --org 1 3 --yes'])
      .argument('<webhookid>', 'its id', id)
      .addOption(ownerOption())
      .addOption(yesOption())
      .action(onStore(remove)),
    command('deliveries', 'list the newest deliveries with their last try', [
      'webhook deliveries --org 1 3',
    ])
      .argument('<webhookid>', 'its id', id)
      .addOption(ownerOption())
      .action(onStore(deliveries)),
    command('test', 'send a test message through the running server', ['webhook test --org 1 3'])
      .argument('<webhookid>', 'its id', id)
      .addOption(ownerOption())
      .action(onStore(test)),
    command('redeliver', 'send a delivery again through the running server', [
      'webhook redeliver --org 1 3 12',
    ])
      .argument('<webhookid>', 'its id', id)
      .argument('<delivery>', 'the number of the delivery', id)
      .addOption(ownerOption())
      .action(onStore(redeliver)),
  ])
}

type Given = OwnerOptions & Record<string, unknown>
type UpdateOptions = Given & {
  on?: boolean
  off?: boolean
  rotateSecret?: boolean
  overlap: number
}

function settable(to: Command): Command {
  return addSettingOptions(to.addOption(ownerOption()), WEBHOOK_RULES, ['from'], orAll).addOption(
    option('--from <start>', 'where deliveries start, and start again after a resync').choices([
      ...CHANGES_FROM,
    ]),
  )
}

async function create(store: Store, options: Given): Promise<CommandResult> {
  const given = givenSettings<WebhookSettings>(WEBHOOK_RULES, options)
  const { url } = given
  if (url === undefined) throw new UsageError('a webhook needs --url')
  await organizationOf(store, options.org)
  const settings = { ...WEBHOOK_DEFAULTS, ...given, url }
  return withSecret(store, await createWebhook(store, options.org, settings, Date.now()))
}

async function list(store: Store, { org }: OwnerOptions): Promise<CommandResult> {
  await organizationOf(store, org)
  const webhooks = await store.webhooks.list(org)
  const json = await Promise.all(webhooks.map((each) => webhookDocument(store, each)))
  return listing(json, [
    'id',
    'url',
    ['TYPES', ({ types }) => types?.join(',') ?? ALL],
    ['IDS', ({ ids }) => ids?.join(',') ?? ALL],
    'state',
    'last_delivered_at',
    'failure',
  ])
}

async function update(store: Store, options: UpdateOptions, webhook: number) {
  const { org, on, off, rotateSecret, overlap } = options
  const before = await webhookOf(store, org, webhook)
  const given = givenSettings<WebhookSettings>(WEBHOOK_RULES, options)
  const now = Date.now()
  if (!rotateSecret && !on && !off) refuseEmpty(given)
  // A webhook that is off stays off since then.
  const isSwitchedOff = off === true && before.offAt === null
  const switched = on || isSwitchedOff ? on === true : undefined
  const hasChanges = switched !== undefined || Object.keys(given).length > 0
  const after = hasChanges ? await changeWebhook(store, before, given, switched, now) : before
  if (after === null) throw noSuch(org, webhook)
  if (!rotateSecret) return cardOf(await webhookDocument(store, after))
  const rotated = await rotateWebhookSecret(store, after, now + overlap, now)
  if (rotated === null) throw noSuch(org, webhook)
  return withSecret(store, rotated)
}

async function remove(
  store: Store,
  options: OwnerOptions & { yes?: boolean },
  webhook: number,
): Promise<CommandResult> {
  const { url } = await webhookOf(store, options.org, webhook)
  await confirm(`this deletes webhook ${webhook} to ${new URL(url).origin}`, options)
  if (!(await store.webhooks.delete(options.org, webhook))) throw noSuch(options.org, webhook)
  return { json: { id: webhook, deleted: true }, text: `Webhook ${webhook} is deleted.` }
}

async function deliveries(
  store: Store,
  { org }: OwnerOptions,
  webhook: number,
): Promise<CommandResult> {
  await webhookOf(store, org, webhook)
  const json = (await store.webhooks.deliveries(org, webhook)).map(deliveryDocument)
  return listing(json, [
    'number',
    'kind',
    'entries',
    'tries',
    ['LAST TRY', 'tried_at'],
    'status',
    ['MS', 'duration_ms'],
    'delivered_at',
    'failure',
  ])
}

async function test(store: Store, { org }: OwnerOptions, webhook: number): Promise<CommandResult> {
  const asked = await testWebhook(store, org, webhook, Date.now())
  if (asked === null) throw noSuch(org, webhook)
  return askedFor(asked, org, webhook)
}

async function redeliver(store: Store, { org }: OwnerOptions, webhook: number, number: number) {
  await webhookOf(store, org, webhook)
  const asked = await store.webhooks.want(org, webhook, number)
  if (asked === null) {
    throw new Error(
      `webhook ${webhook} has no delivery ${number} any more; 'fleetgate webhook deliveries --org ${org} ${webhook}' shows those it has`,
    )
  }
  return askedFor(asked, org, webhook)
}

function askedFor(delivery: Delivery, org: number, webhook: number): CommandResult {
  return {
    json: deliveryDocument(delivery),
    text: `The server sends delivery ${delivery.number} within a second. See its status with 'fleetgate webhook deliveries --org ${org} ${webhook}'.`,
  }
}

async function webhookOf(store: Store, organization: number, webhook: number): Promise<Webhook> {
  await organizationOf(store, organization)
  const found = await store.webhooks.find(organization, webhook)
  if (found === null) throw noSuch(organization, webhook)
  return found
}

const noSuch = (organization: number, webhook: number) =>
  notOwned({ singular: 'webhook', plural: 'webhook' }, organization, webhook)

async function withSecret(store: Store, { webhook, secret }: IssuedWebhook) {
  const { json, text } = cardOf({ ...(await webhookDocument(store, webhook)), secret })
  return { json, text: `${text}\n\nKeep the secret now: it is not shown again.` }
}

function cardOf(json: Record<string, unknown>): CommandResult {
  const cells = Object.entries(json).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') : value,
  ])
  return { json, text: card(Object.fromEntries(cells) as Record<string, Cell>) }
}
