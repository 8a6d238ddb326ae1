import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { group } from './command.ts'
import { keyCommands } from './key.ts'
import { organizationCommands } from './organization.ts'
import { serveCommand } from './serve.ts'

/** The whole command line. */
export function program(): Command {
  return group('fleetgate', manifest.description, [
    serveCommand(),
    organizationCommands(),
    keyCommands(),
  ])
    .version(manifest.version)
    .addHelpText(
      'after',
      `\nEvery option is also an environment variable, shown as env; the command line wins.`,
    )
}
