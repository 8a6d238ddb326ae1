import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { keyCommands } from './access/key.ts'
import { peopleCommands } from './access/people.ts'
import { feedTokenCommands, tokenCommands } from './access/tokens.ts'
import { group } from './command.ts'
import { attributeCommands } from './commands/attributes.ts'
import { auditCommand } from './commands/audit.ts'
import { backupCommand, copyCommand, distributeCommand } from './commands/databases.ts'
import { doctorCommand } from './commands/doctor.ts'
import { importCommands } from './commands/import.ts'
import { listedCommands } from './commands/items.ts'
import { objectCommands } from './commands/objects.ts'
import { organizationCommands } from './commands/organization.ts'
import { recomputeCommand } from './commands/recompute.ts'
import { recordCommands } from './commands/records.ts'
import { routingCommands } from './commands/routing.ts'
import { statusCommand } from './commands/status.ts'
import { packCommand, verifyCommand } from './commands/stored-positions.ts'
import { webhookCommands } from './commands/webhook.ts'
import { serveCommand } from './serve/serve.ts'

/*
 * The command line, and the commands that other packages run.
 */

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
    doctorCommand(),
    ...listedCommands(),
    attributeCommands(),
    recordCommands(),
    importCommands(),
    recomputeCommand(),
    packCommand(),
    verifyCommand(),
    peopleCommands(),
    tokenCommands(),
    auditCommand(),
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

/**
 * `fleetgate pull` is the client package's `fleetgate-pull`. It parses its own options, and knows only
 * the address of a server.
 */
function pullCommand(): Command {
  return new Command('pull')
    .description('copy positions into files through the API, by its address and a key')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', "see 'fleetgate pull --help'")
    .action(async (args: string[]) => {
      const { main } = await import('../../../client/src/pull/main.ts')
      await main('fleetgate pull', args)
    })
}

type McpPackage = { main(program: string, args: string[]): Promise<void> }

/** A package of its own, because most servers do without its dependencies. */
const PACKAGE: string = '@fleetgate/mcp'

/** `fleetgate mcp` is the `fleetgate-mcp` of another package. It parses its own options. */
function mcpCommand(): Command {
  return new Command('mcp')
    .description(
      'give a language model read-only tools over the API, by the Model Context Protocol',
    )
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', "see 'fleetgate mcp --help'")
    .action(async (args: string[]) => {
      const { main } = await loadPackage()
      await main('fleetgate mcp', args)
    })
}

async function loadPackage(): Promise<McpPackage> {
  try {
    return await import(PACKAGE)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(
      `it is a package of its own: install ${PACKAGE} in the same folder as fleetgate`,
      {
        cause: error,
      },
    )
  }
}
