import { Command } from 'commander'

/**
 * `fleetgate pull` is the client package's `fleetgate-pull`. It parses its own options, and knows only
 * the address of a server.
 */
export function pullCommand(): Command {
  return new Command('pull')
    .description('copy positions into files through the API, by its address and a key')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', "see 'fleetgate pull --help'")
    .action(async (args: string[]) => {
      const { main } = await import('../../../../client/src/pull/main.ts')
      await main('fleetgate pull', args)
    })
}

type McpPackage = { main(program: string, args: string[]): Promise<void> }

/** A package of its own, because most servers do without its dependencies. */
const PACKAGE: string = '@fleetgate/mcp'

/** `fleetgate mcp` is the `fleetgate-mcp` of another package. It parses its own options. */
export function mcpCommand(): Command {
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
