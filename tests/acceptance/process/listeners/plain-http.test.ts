import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../../harness/client.ts'
import { embeddedOnly } from '../../harness/deployment.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import { fleetgate } from '../../harness/fleetgate.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { serve } from '../../harness/server.ts'

const fleet = await startFleetProcess({ full: 0, plain: 1 })

describe('Plain HTTP', () => {
  it('causes a warning on an address other than loopback', async () => {
    const server = await serve(await newDeployment(), ['--host', '0.0.0.0'])
    const warned = server.stderr() + JSON.stringify(server.log)
    await server.stop()
    assert.match(warned, /TLS|HTTPS|plain HTTP|unencrypted/i)
  })

  it('causes no warning on loopback', () => {
    assert.doesNotMatch(fleet.server.stderr(), /TLS|HTTPS|plain HTTP|unencrypted/i)
  })

  it('has no CORS headers', async () => {
    const organization = fleet.take()
    const origin = { origin: 'https://app.example.com' }
    const answer = await organization.get('/objects', { headers: origin })
    assert.equal(answer.status, 200)
    const preflight = await request(fleet.server.api, '/public/v1/objects', {
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-method': 'GET' },
    })
    assert.equal(preflight.status, 405)
    for (const { headers } of [answer, preflight]) {
      const cors = Object.keys(headers).filter((name) => name.startsWith('access-control-'))
      assert.deepEqual(cors, [])
    }
  })

  it('keeps metrics and readiness on the admin listener alone', async () => {
    for (const target of ['/metrics', '/ready']) {
      assert.equal((await request(fleet.server.admin, target)).status, 200, target)
      assert.equal((await request(fleet.server.api, target)).status, 404, target)
    }
    const metrics = await request(fleet.server.admin, '/metrics')
    assert.match(metrics.text, /^# TYPE \w+ (counter|histogram|gauge)$/m)
  })

  it('allows one process per data folder', embeddedOnly, async () => {
    const ports = ['--port', '0', '--admin-port', '0']
    const second = await fleetgate(['serve', ...fleet.deployment.args, ...ports])
    assert.equal(second.code, 1)
    assert.match(second.stderr, /\S/)
    assert.equal(second.stderr.trim().split('\n').length, 1)
  })
})
