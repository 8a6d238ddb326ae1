import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('Unknown path: 404', () => {
  const unknown = [
    ...[
      '/',
      '/public/v1',
      '/public/v2/objects',
      '/objects',
      '/public/v1/objects/',
      '/metrics',
      '/health',
      '/admin',
      '/favicon.ico',
      '/docs/../etc',
    ],
    ...['/public/v1/%6fbjects/%2e%2e/sites', '/docs/%2e%2e/%2e%2e/package.json', '/openapi'],
  ]
  for (const target of unknown) {
    it(target, async () => {
      assertRefused(await request(fleet.server.api, target), 404, 'ERR999')
    })
  }
})
