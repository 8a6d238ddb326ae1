import { Command } from 'commander'

/**
 * What the client's package brings as `fleetgate-pull`, under the name of this command line: it reads the
 * options itself, and knows of a server nothing but its address.
 */
export function pullCommand(): Command {
  return new Command('pull')
    .description('bring positions into files through the API, with an address and a key')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[options...]', "see 'fleetgate pull --help'")
    .action(async (args: string[]) => {
      const { main } = await import('../../../client/src/pull/main.ts')
      await main('fleetgate pull', args)
    })
}
