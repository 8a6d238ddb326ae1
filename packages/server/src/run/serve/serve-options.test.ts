import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Command } from 'commander'
import { type GeocoderOptions, geocoderOptions } from './serve-options.ts'

describe('Geocoder options', () => {
  it('are the offline places by default', () => {
    assert.deepEqual(parse(), {
      geocoder: 'offline',
      geocoderRate: 1,
      geocoderUserAgent: 'Fleetgate/1.2.3',
    })
  })

  it('may be off or a server', () => {
    assert.equal(parse('--geocoder', 'off').geocoder, 'off')
    const { geocoder, geocoderRate, geocoderUserAgent } = parse(
      ...['--geocoder', 'https://nominatim.example.org/osm?key=1'],
      ...['--geocoder-rate', '0.5', '--geocoder-user-agent', 'Acme fleet (ops@example.org)'],
    )
    assert.equal(String(geocoder), 'https://nominatim.example.org/osm?key=1')
    assert.equal(geocoderRate, 0.5)
    assert.equal(geocoderUserAgent, 'Acme fleet (ops@example.org)')
  })

  it('reject anything else', () => {
    const wrong: [string, string[]][] = [
      [
        '--geocoder',
        ['', 'on', 'nominatim.example.org', 'ftp://a', 'http://me:x@a', 'http://a/#b'],
      ],
      ['--geocoder-rate', ['', '0', '-1', '1001', '1e2', 'Infinity']],
      ['--geocoder-user-agent', ['', ' a', 'a\nb', 'é', 'a'.repeat(201)]],
    ]
    for (const [flag, values] of wrong) {
      for (const value of values) assert.throws(() => parse(`${flag}=${value}`), /must be/, value)
    }
  })
})

function parse(...args: string[]): GeocoderOptions {
  const command = new Command().exitOverride().configureOutput({ writeErr() {} })
  for (const option of geocoderOptions('1.2.3')) command.addOption(option)
  return command.parse(args, { from: 'user' }).opts()
}
