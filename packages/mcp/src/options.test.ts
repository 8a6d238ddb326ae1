import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readOptions, UsageError } from './options.ts'

const URL = 'https://fleet.example.com'
const maximumGapMs = 3_600_000
const KEY = { FLEETGATE_API_KEY: 'fg_live_1' }

describe('The options of fleetgate mcp', () => {
  it('come from the command line, or else from the environment', async () => {
    const stdio = { url: URL, key: 'fg_live_1', http: null, maximumGapMs }
    assert.deepEqual(await readOptions(['--url', URL], KEY), stdio)
    assert.deepEqual(await readOptions([], { FLEETGATE_URL: URL, ...KEY }), stdio)
    const http = { port: 7400, hosts: ['mcp.example.com'] }
    assert.deepEqual(
      await readOptions(['--url', URL, '--http', '7400', '--host', 'mcp.example.com'], {}),
      { url: URL, key: null, http, maximumGapMs },
    )
    const gap = { ...stdio, maximumGapMs: 10_800_000 }
    assert.deepEqual(await readOptions(['--url', URL, '--maximum-gap', '180'], KEY), gap)
    const fromEnvironment = { ...KEY, FLEETGATE_MAXIMUM_GAP: '180' }
    assert.deepEqual(await readOptions(['--url', URL], fromEnvironment), gap)
    assert.equal(await readOptions(['--help'], {}), 'help')
  })

  it('are refused with the reason', async () => {
    for (const [args, env, said] of [
      [[], KEY, /--url .* is required/],
      [['--url', 'ftp://x'], KEY, /--url must be a URL/],
      [['--url', URL], {}, /an API key is required/],
      [['--url', URL, '--http', 'x'], KEY, /--http must be a port/],
      [['--url', URL, '--http', '70000'], KEY, /--http must be a port/],
      [['--url', URL, '--host', 'x'], KEY, /--host requires --http/],
      [['--url', URL, '--maximum-gap', '4'], KEY, /--maximum-gap must be .* from 5 to 10080/],
      [['--url', URL, '--maximum-gap', ''], KEY, /--maximum-gap must be/],
      [['--nothing'], KEY, /'--nothing'/],
    ] as const) {
      await assert.rejects(readOptions([...args], env), (error: Error) => {
        assert.ok(error instanceof UsageError)
        assert.match(error.message, said)
        return true
      })
    }
    const file = ['--url', URL, '--api-key-file', '/nowhere/key']
    await assert.rejects(readOptions(file, {}), /the key cannot be read/)
  })
})
