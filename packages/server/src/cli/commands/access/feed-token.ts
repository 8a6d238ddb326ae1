import type { Command } from 'commander'
import { FEED_TOKEN } from '../../../access/secret.ts'
import { credentialCommands } from './credentials.ts'

/** The default address of the feed. */
const ORIGIN = 'http://127.0.0.1:7071'

export function feedTokenCommands(): Command {
  return credentialCommands({
    name: 'feed-token',
    noun: 'token',
    description: 'feed tokens: trackers send positions with them',
    secret: FEED_TOKEN,
    store: (store) => store.feedTokens,
    use,
  })
}

/** Lines to copy, one for each kind of sender. */
function use(token: string): string {
  const row = JSON.stringify([
    { ident: 'van-12', time_device: '2026-11-20T10:00:00Z', latitude: 41.01, longitude: 28.97 },
  ])
  return `Send positions with it, at the address that your feed has in place of ${ORIGIN}:

  A program
    curl -H 'x-feed-token: ${token}' --json '${row}' ${ORIGIN}/feed/v1/positions

  A phone with Traccar Client, or a tracker that speaks OsmAnd: its server URL
    ${ORIGIN}/feed/v1/${token}/osmand

  A Traccar server: in its traccar.xml
    <entry key='forward.type'>json</entry>
    <entry key='forward.url'>${ORIGIN}/feed/v1/traccar</entry>
    <entry key='forward.header'>x-feed-token: ${token}</entry>`
}
