import assert from 'node:assert/strict'
import {
  openReceiver,
  type WebhookReceiver,
} from '../../../../packages/server/testing/webhook-receiver.ts'
import type { Operator } from '../../harness/admin.ts'
import type { Answer } from '../../harness/client.ts'
import { resultOf } from '../../harness/envelope.ts'
import { openEvents } from '../../harness/events.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { certificate } from '../../harness/webhooks.ts'

/*
 * The ways to follow the changes of a world. Each ends with the renaming of an object.
 */

export const END = 'End'
export const FOLLOWED = [
  '/changes?from=history&types=objects,positions,states&include=exact,attributes',
  '/changes?from=history&types=objects,trips,stops,visits',
]

/** `all`: resolves with all changes up to the end. */
export type Follower = { all(): Promise<Json[]> }
type Get = (path: string) => Promise<Answer>

const hasEnd = (changes: readonly Json[]) => changes.some(({ object }) => object?.name === END)

/** Follows page after page. `more`: parameters, such as `&wait=25`. */
export async function polling(get: Get, path: string, more: string): Promise<Follower> {
  const changes: Json[] = []
  const take = async (asked: string): Promise<Json> => {
    const page = resultOf(await get(asked))
    changes.push(...page.changes)
    return page
  }
  let page = await take(path)
  while (page.has_more) page = await take(`/changes?cursor=${page.cursor}`)
  const follow = async () => {
    while (!hasEnd(changes)) page = await take(`/changes?cursor=${page.cursor}${more}`)
    return changes
  }
  // Held from now on, if it waits.
  const following = more === '' ? undefined : follow()
  following?.catch(() => undefined)
  return { all: () => following ?? follow() }
}

export async function streaming(url: string, key: string): Promise<Follower> {
  const headers = { 'x-api-key': key, accept: 'text/event-stream' }
  const events = await openEvents(url, headers, 60_000)
  assert.ok('next' in events, JSON.stringify(events))
  const changes: Json[] = []
  const take = async () => {
    const event = await events.next()
    assert.ok(event !== null, 'the stream ended')
    changes.push(...event.data.changes)
    return event.data
  }
  while ((await take()).has_more);
  const follow = async () => {
    while (!hasEnd(changes)) await take()
    events.close()
    return changes
  }
  const following = follow()
  following.catch(() => undefined)
  return { all: () => following }
}

/** Creates a webhook to a receiver of its own. */
export async function receiving(
  operator: Operator,
  at: string,
  settings: Json,
): Promise<WebhookReceiver> {
  const receiver = await openReceiver(certificate!)
  await operator.post(`${at}/webhooks`, { url: receiver.url, from: 'history', ...settings })
  return receiver
}

/** Resolves when a webhook has brought all that there is. */
export function caughtUp(receiver: WebhookReceiver): Promise<void> {
  return receiver.until(() => receiver.received.some(({ data }) => data?.has_more === false))
}

/** The changes that a webhook brought up to the end, each message once. */
export async function pushed(receiver: WebhookReceiver): Promise<Json[]> {
  const changes = () => {
    const distinct = new Map(receiver.received.map((message) => [message.id, message.data]))
    return [...distinct.values()].flatMap((data) => data.changes ?? [])
  }
  await receiver.until(() => hasEnd(changes()))
  return changes()
}

/** The altitude of the last position, after which a relay sends no other one. */
export const LAST_ALTITUDE = 7_777
const IS_LAST = new RegExp(`altitude\\W{1,2}${LAST_ALTITUDE}\\b`)

/** Resolves when a relay has sent so many messages. */
export function relayedSome(receiver: WebhookReceiver, count: number): Promise<void> {
  return receiver.until(() => textsOf(receiver).length >= count)
}

/** All that a relay sent up to the last position, each message once. */
export async function relayed(receiver: WebhookReceiver): Promise<string[]> {
  await receiver.until(() => textsOf(receiver).some((text) => IS_LAST.test(text)))
  return textsOf(receiver)
}

function textsOf({ received }: WebhookReceiver): string[] {
  return [...new Set(received.map(({ target, raw }) => target + raw))]
}
