import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { backupCommand } from './backup.ts'
import { group } from './command.ts'
import { copyCommand } from './copy.ts'
import { feedTokenCommands } from './feed-token.ts'
import { importCommands } from './import.ts'
import { keyCommands } from './key.ts'
import { objectCommands } from './objects.ts'
import { operatorCommands } from './operator.ts'
import { organizationCommands } from './organization.ts'
import { geofenceCommands, routeCommands, siteCommands } from './places.ts'
import { pullCommand } from './pull.ts'
import { recomputeCommand } from './recompute.ts'
import { serveCommand } from './serve.ts'

/** The command line. */
export function program(): Command {
  return group('fleetgate', manifest.description, [
    serveCommand(),
    organizationCommands(),
    keyCommands(),
    feedTokenCommands(),
    objectCommands(),
    geofenceCommands(),
    routeCommands(),
    siteCommands(),
    importCommands(),
    recomputeCommand(),
    operatorCommands(),
    backupCommand(),
    copyCommand(),
    pullCommand(),
  ])
    .version(manifest.version)
    .addHelpText(
      'after',
      `\nEvery option is also an environment variable, shown as env; the command line wins.`,
    )
}
