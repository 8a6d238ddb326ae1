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
