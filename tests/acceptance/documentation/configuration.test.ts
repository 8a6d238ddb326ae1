import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { REPOSITORY } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'

/** Options with their defaults, as `--flag <value>` to the text of the default. */
type Options = Record<string, string>

/** An option begins a line of the help; its default is in brackets on that line or on the next ones. */
function optionsOf(help: string): Options {
  const [, ...entries] = help.slice(0, help.indexOf('Examples:')).split(/^ {2}(?=--)/m)
  return Object.fromEntries(
    entries.map((entry) => {
      const [, flag] = /^(--\S+(?: <[^>]+>)?)/.exec(entry)!
      const [, told = ''] = /\(default: ([^,)]+)/.exec(entry.replaceAll(/\s+/g, ' ')) ?? []
      return [flag, told.replaceAll('"', '')]
    }),
  )
}

it('docs/configuration.md has every option of serve with its default', async () => {
  const page = readFileSync(join(REPOSITORY, 'docs/configuration.md'), 'utf8')
  const rows = page.matchAll(/^\| `(--[^`]+)` \|(?: `?([^|`]+?)`?)? \|/gm)
  const documented = Object.fromEntries(Array.from(rows, ([, flag, told = '']) => [flag, told]))
  const { runHere } = await commandLine()
  const { stdout } = await runHere(['serve', '--help'])
  assert.deepEqual(documented, optionsOf(stdout))
})
