import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Tenant } from '../../../bench/tenants.ts'
import { WEBHOOK_ACTS } from '../../../packages/server/src/acts/webhook-acts.ts'
import {
  MAX_WEBHOOKS,
  WEBHOOK_DEFAULTS,
  type WebhookSettings,
} from '../../../packages/server/src/base/domain/webhook.ts'
import { callOn } from '../../../packages/server/src/run/act-command.ts'
import { openStore } from '../../../packages/server/src/run/compose.ts'
import { selfSigned } from '../../../packages/server/testing/certificate.ts'
import {
  ACCEPT,
  NEVER_END,
  openReceiver,
  type WebhookReceiver,
} from '../../../packages/server/testing/webhook-receiver.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import { makeInstall } from '../clients/install.ts'
import type { Finding, Trial } from '../part.ts'
import { type Asked, askWhile } from './ask-while.ts'
import { besideUndisturbed } from './undisturbed.ts'

const OPEN_FILES = 256
/** Enough messages of 100 positions that no webhook runs out of them. */
const ROWS = 100_000
const SEND_EVERY_MS = 250
/** A message waits for the pause of the change log, its slot and its connection. */
const ARRIVES_WITHIN_MS = 2_000
const NAME = `${OPEN_FILES} descriptors, ${MAX_WEBHOOKS} receivers that never end an answer`

/** The positions of another organization on their way to its own receiver, by when they were sent. */
type OtherWebhook = { sent: number; delaysMs: Map<string, number> }

/**
 * One organization makes as many webhooks as it may, for its whole history. Their receivers answer 200 at once and
 * never end the body. Others ask the API and readiness, send to the feed, and have a webhook.
 */
export async function webhookReceivers({ folder, amount }: Trial): Promise<Finding[]> {
  const tls = selfSigned()
  if (tls === undefined) throw new Error('openssl is absent')
  const place = join(folder, 'webhook-receivers')
  const { long, others, feedTokens } = await makeInstall(place, 1, ROWS)
  const ca = join(folder, 'ca.pem')
  writeFileSync(ca, tls.cert)
  const [stuck, healthy] = [await openReceiver(tls), await openReceiver(tls)]
  stuck.behave(NEVER_END)
  await addWebhooks(place, others[0]!, healthy, 1, 'now')
  const allowed = ['--geocoder', 'off', '--webhook-networks', '127.0.0.1/32']
  const server = await serve(inFolder(place), allowed, { NODE_EXTRA_CA_CERTS: ca }, OPEN_FILES)
  try {
    const other = followed(healthy)
    let asked: Asked | undefined
    const findings = await besideUndisturbed(NAME, server, others, async () => {
      await addWebhooks(place, long[0]!, stuck, MAX_WEBHOOKS, 'history')
      asked = await askWhile(server, feedTokens[0]!, () =>
        sendFor(
          amount({ minutes: 30_000, hours: 300_000 }),
          server,
          feedTokens[0]!,
          others[0]!,
          other,
        ),
      )
    })
    return [...findings, ...askedFindings(asked!), arrivalFinding(other), openFinding(stuck)]
  } finally {
    await server.kill()
    await Promise.all([stuck.close(), healthy.close()])
  }
}

/** As the command line does, next to a running server too. */
async function addWebhooks(
  folder: string,
  { organization }: Tenant,
  { url }: WebhookReceiver,
  count: number,
  from: WebhookSettings['from'],
): Promise<void> {
  const store = await openStore({ folder })
  const settings: WebhookSettings = { ...WEBHOOK_DEFAULTS, url, types: ['positions'], from }
  const call = callOn(store, { organization }, settings)
  for (let i = 0; i < count; i++) await WEBHOOK_ACTS.createWebhook.run(call)
  await store.close()
}

/** Notes how long each position took from its device to the receiver. */
function followed(receiver: WebhookReceiver): OtherWebhook {
  const other: OtherWebhook = { sent: 0, delaysMs: new Map() }
  receiver.behave((response, message) => {
    for (const { position } of message.data.changes ?? []) {
      const { time_device } = position ?? {}
      if (time_device) other.delaysMs.set(time_device, Date.now() - Date.parse(time_device))
    }
    ACCEPT(response, message)
  })
  return other
}

/** Sends positions to the feed for some time. */
async function sendFor(
  ms: number,
  server: ServerProcess,
  token: string,
  { ident }: Tenant,
  other: OtherWebhook,
): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    const row = { ident, time_device: new Date().toISOString(), latitude: 41, longitude: 29 }
    const init = { method: 'POST', body: JSON.stringify([row]), headers: { 'x-feed-token': token } }
    // Only positions that the feed has taken are due.
    const answer = await fetch(`${server.feed}/feed/v1/positions`, init).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.ok) other.sent += 1
    await wait(SEND_EVERY_MS)
  }
  await wait(ARRIVES_WITHIN_MS)
}

function askedFindings(asked: Asked): Finding[] {
  return Object.entries(asked).map(([who, { asked: all, failed }]) => ({
    what: `${NAME}: requests to ${who} over new connections that failed`,
    bar: 'none',
    measured: `${failed} of ${all}`,
    met: failed === 0 && all > 0,
  }))
}

function arrivalFinding({ sent, delaysMs }: OtherWebhook): Finding {
  const slowest = Math.max(...delaysMs.values())
  return {
    what: `${NAME}: positions of another organization that arrive at its receiver`,
    bar: `all within ${ARRIVES_WITHIN_MS} ms`,
    measured: `${delaysMs.size} of ${sent}, the slowest after ${slowest} ms`,
    met: sent > 0 && delaysMs.size === sent && slowest <= ARRIVES_WITHIN_MS,
  }
}

function openFinding(stuck: WebhookReceiver): Finding {
  return {
    what: `${NAME}: connections that the organization holds at once`,
    bar: `at most ${MAX_WEBHOOKS}, and at least one`,
    measured: `${stuck.mostOpen()}, ${stuck.received.length} messages`,
    met: stuck.mostOpen() > 0 && stuck.mostOpen() <= MAX_WEBHOOKS,
  }
}
