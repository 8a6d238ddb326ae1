import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import type { ListTopic } from '../base/domain/item-rules.ts'
import { group, quiet } from './command.ts'

/*
 * The command line, and the commands that other packages run.
 */

/** A command, or a group of them. Its file is loaded when somebody uses it. */
type Entry = {
  name: string
  description: string
  /** Its options and arguments in the list of commands. A group has none. */
  takes?: readonly string[]
  load(description: string): Promise<Command>
}

const OPTIONS = ['[options]']

const ENTRIES: readonly Entry[] = [
  {
    name: 'serve',
    description: 'serve the API of a data folder, or of a database',
    takes: OPTIONS,
    load: async (words) => (await import('./serve/serve-command.ts')).serveCommand(words),
  },
  {
    name: 'org',
    description: 'organizations: each owns a fleet and the keys to it',
    load: async (words) =>
      (await import('./commands/organization-commands.ts')).organizationCommands(words),
  },
  {
    name: 'key',
    description: "API keys: access to an organization's data",
    load: async (words) => (await import('./access/key-commands.ts')).keyCommands(words),
  },
  {
    name: 'link',
    description: 'links: pages that show vehicles to somebody until they expire',
    load: async (words) => (await import('./access/link-commands.ts')).linkCommands(words),
  },
  {
    name: 'feed-token',
    description: 'feed tokens: trackers send positions with them',
    load: async (words) => (await import('./access/token-commands.ts')).feedTokenCommands(words),
  },
  {
    name: 'routing',
    description: 'routing: which organization gets which ident of a shared Traccar server',
    load: async (words) => (await import('./commands/routing-commands.ts')).routingCommands(words),
  },
  {
    name: 'webhook',
    description: 'webhooks: endpoints to which the server sends changes',
    load: async (words) => (await import('./commands/webhook-commands.ts')).webhookCommands(words),
  },
  {
    name: 'desk',
    description: "who can read an organization's data: keys, links, webhooks, people and tokens",
    takes: OPTIONS,
    load: async (words) => (await import('./commands/desk-command.ts')).deskCommand(words),
  },
  {
    name: 'objects',
    description: 'objects: the vehicles and assets that are tracked',
    load: async (words) => (await import('./commands/object-commands.ts')).objectCommands(words),
  },
  {
    name: 'doctor',
    description:
      'diagnose why an object does not move: packets, idents, tokens, clock and settings',
    takes: ['[options]', '<object>'],
    load: async (words) => (await import('./commands/doctor-command.ts')).doctorCommand(words),
  },
  listed('geofences', 'geofences: polygon zones'),
  listed('routes', 'routes: planned routes with waypoints'),
  listed('sites', 'sites: circular points of interest'),
  {
    name: 'attributes',
    description: 'attributes: further values that devices send, such as fuel',
    load: async (words) =>
      (await import('./commands/attribute-commands.ts')).attributeCommands(words),
  },
  {
    name: 'records',
    description: 'trips, stops, visits and changes of levels',
    load: async (words) => (await import('./commands/record-commands.ts')).recordCommands(words),
  },
  {
    name: 'import',
    description: 'import positions and the catalogue from files',
    load: async (words) => (await import('./commands/import-commands.ts')).importCommands(words),
  },
  {
    name: 'attach',
    description: 'take devices, geofences and positions from the database of a Traccar server',
    load: async (words) => (await import('./commands/attach-commands.ts')).attachCommands(words),
  },
  {
    name: 'positions',
    description: 'delete positions of a range of time, and list deleted ranges',
    load: async (words) =>
      (await import('./commands/position-commands.ts')).positionCommands(words),
  },
  {
    name: 'recompute',
    description:
      'recompute motion, trips and counters of stored positions with the current settings',
    takes: OPTIONS,
    load: async (words) =>
      (await import('./commands/recompute-command.ts')).recomputeCommand(words),
  },
  {
    name: 'pack',
    description:
      'pack positions older than two days now; a server does it every hour, and answers stay the same',
    takes: OPTIONS,
    load: async (words) =>
      (await import('./commands/stored-position-commands.ts')).packCommand(words),
  },
  {
    name: 'verify',
    description:
      'read all stored positions once, and list those that are unreadable, altered or missing',
    takes: OPTIONS,
    load: async (words) =>
      (await import('./commands/stored-position-commands.ts')).verifyCommand(words),
  },
  {
    name: 'shrink',
    description:
      'rewrite all data without free space: its files are as small as they can be, and have nothing that was deleted',
    takes: OPTIONS,
    load: async (words) => (await import('./commands/shrink-command.ts')).shrinkCommand(words),
  },
  {
    name: 'people',
    description: 'the people who sign in to the console, and their roles',
    load: async (words) => (await import('./access/people-commands.ts')).peopleCommands(words),
  },
  {
    name: 'token',
    description: 'tokens with which programs use the admin API',
    load: async (words) => (await import('./access/token-commands.ts')).tokenCommands(words),
  },
  {
    name: 'audit',
    description: 'show who changed what, and when, the newest first',
    takes: OPTIONS,
    load: async (words) => (await import('./commands/audit-command.ts')).auditCommand(words),
  },
  {
    name: 'status',
    description: 'show versions, health, sizes and background work of the data',
    takes: OPTIONS,
    load: async (words) => (await import('./commands/status-command.ts')).statusCommand(words),
  },
  {
    name: 'backup',
    description: 'copy the data folder, also while a server uses it',
    takes: ['[options]', '<dir>'],
    load: async (words) => (await import('./commands/database-commands.ts')).backupCommand(words),
  },
  {
    name: 'copy',
    description:
      'copy all data, or one organization, from a folder to PostgreSQL or back; a second run copies what is missing',
    takes: OPTIONS,
    load: async (words) => (await import('./commands/database-commands.ts')).copyCommand(words),
  },
  {
    name: 'distribute',
    description: 'spread a database over the servers of its Citus; a second run completes it',
    takes: OPTIONS,
    load: async (words) =>
      (await import('./commands/database-commands.ts')).distributeCommand(words),
  },
]

function listed(name: ListTopic, description: string): Entry {
  return {
    name,
    description,
    load: async (words) =>
      (await import('./commands/item-commands.ts')).listedCommands(name, words),
  }
}

/** The command line for these words, which loads no other command. Without words, it loads all. */
export async function program(words?: readonly string[]): Promise<Command> {
  const used = words?.find((each) => !each.startsWith('-'))
  const isUsed = ({ name }: Entry) => words === undefined || name === used
  const commands = await Promise.all(
    ENTRIES.map((each) => (isUsed(each) ? each.load(each.description) : inList(each))),
  )
  return group('fleetgate', manifest.description, [...commands, pullCommand(), mcpCommand()])
    .version(manifest.version)
    .addHelpText(
      'after',
      `\nEvery option is also an environment variable, shown as env; the command line wins.`,
    )
}

/** A command that the list of commands shows, and nobody uses. */
function inList({ name, description, takes = [] }: Entry): Command {
  const made = quiet(new Command(name)).description(description)
  for (const each of takes) {
    if (each === '[options]') made.option('--json')
    else made.argument(each)
  }
  return made
}

/**
 * `fleetgate pull` is the client package's `fleetgate-pull`. It parses its own options, and knows only
 * the address of a server.
 */
function pullCommand(): Command {
  return new Command('pull')
    .description('copy positions from the API into files')
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
    .description('serve read-only tools of the API to language models (Model Context Protocol)')
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
      `it is a separate package: install ${PACKAGE} in the same folder as fleetgate`,
      {
        cause: error,
      },
    )
  }
}
