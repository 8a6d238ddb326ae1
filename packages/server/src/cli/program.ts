import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { keyCommands } from './access/key.ts'
import { peopleCommands } from './access/people.ts'
import { feedTokenCommands, tokenCommands } from './access/tokens.ts'
import { group } from './command.ts'
import { attributeCommands } from './commands/attributes.ts'
import { backupCommand, copyCommand } from './commands/copy.ts'
import { distributeCommand } from './commands/distribute.ts'
import { importCommands } from './commands/import.ts'
import { objectCommands } from './commands/objects.ts'
import { organizationCommands } from './commands/organization.ts'
import { mcpCommand, pullCommand } from './commands/other-packages.ts'
import { listedCommands } from './commands/places.ts'
import { recomputeCommand } from './commands/recompute.ts'
import { recordCommands } from './commands/records.ts'
import { routingCommands } from './commands/routing.ts'
import { statusCommand } from './commands/status.ts'
import { packCommand, verifyCommand } from './commands/stored-positions.ts'
import { webhookCommands } from './commands/webhook.ts'
import { serveCommand } from './serve/serve.ts'

/** The command line. */
export function program(): Command {
  return group('fleetgate', manifest.description, [
    serveCommand(),
    organizationCommands(),
    keyCommands(),
    feedTokenCommands(),
    routingCommands(),
    webhookCommands(),
    objectCommands(),
    ...listedCommands(),
    attributeCommands(),
    recordCommands(),
    importCommands(),
    recomputeCommand(),
    packCommand(),
    verifyCommand(),
    peopleCommands(),
    tokenCommands(),
    statusCommand(),
    backupCommand(),
    copyCommand(),
    distributeCommand(),
    pullCommand(),
    mcpCommand(),
  ])
    .version(manifest.version)
    .addHelpText(
      'after',
      `\nEvery option is also an environment variable, shown as env; the command line wins.`,
    )
}
