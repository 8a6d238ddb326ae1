import type { Command } from 'commander'
import { resetOperator } from '../../../admin/open-admin-api.ts'
import type { Store } from '../../../store/store.ts'
import { type CommandResult, command, group, onStore, option } from '../../command.ts'
import { consoleUrlOption } from '../../serve/console-options.ts'
import { linkOf } from '../../serve/greeting.ts'
import { confirm, yesOption } from '../../terminal/confirmation.ts'
import { operatorTokenCommands } from './operator-token.ts'

/** The default address of the console. */
const CONSOLE_URL = 'http://127.0.0.1:7072'
const ELSEWHERE = `A server whose console is not at ${CONSOLE_URL} takes what follows there: /setup#…`
/** Everything that a reset keeps, besides operator tokens. */
const KEPT = 'API keys, feed tokens and all data'

export function operatorCommands(): Command {
  return group('operator', 'the operator: password and tokens of the console', [
    command(
      'reset',
      `forget the password and end all sessions; keep ${KEPT}; print a link to set another password`,
      [
        'operator reset',
        'operator reset --yes --console-url https://console.example.com',
        'operator reset --tokens',
      ],
    )
      .addOption(option('--tokens', 'end all operator tokens as well, which are kept otherwise'))
      .addOption(consoleUrlOption())
      .addOption(yesOption())
      .action(onStore(reset)),
    operatorTokenCommands(),
  ])
}

type ResetOptions = { consoleUrl?: string; tokens?: boolean; yes?: boolean }

async function reset(store: Store, options: ResetOptions): Promise<CommandResult> {
  const withTokens = options.tokens === true
  const tokens = await validTokens(store)
  if ((await store.operator.password()) !== null || (withTokens && tokens > 0)) {
    await confirm(warning(tokens, withTokens), options)
  }
  const { secret: setup, ended } = await resetOperator(store, withTokens, Date.now())
  const kept = await validTokens(store)
  const link = linkOf({ url: options.consoleUrl ?? CONSOLE_URL, setup })
  return {
    json: { setup: link, tokens_ended: ended.length, tokens_kept: kept },
    text: [
      `Open this link to set a password; it works once:\n\n  ${link}`,
      ...(options.consoleUrl === undefined ? [ELSEWHERE] : []),
      `${outcome(ended.length)} ${keptNote(kept)}`,
    ].join('\n\n'),
  }
}

/** The number of valid tokens. */
async function validTokens(store: Store): Promise<number> {
  const now = Date.now()
  const tokens = await store.operator.list('token')
  return tokens.filter(({ expiresAt }) => expiresAt === null || expiresAt > now).length
}

function warning(tokens: number, withTokens: boolean): string {
  const ends = 'this forgets the password of the console and ends all sessions'
  if (tokens === 0) return `${ends}. It keeps ${KEPT}`
  if (withTokens) return `${ends} and ${counted(tokens)}. It keeps ${KEPT}`
  return `${ends}. It keeps ${counted(tokens)}, which --tokens ends as well, ${KEPT}`
}

function outcome(tokensEnded: number): string {
  if (tokensEnded === 0) return 'The password and all sessions have ended.'
  return `The password, all sessions and ${counted(tokensEnded)} have ended.`
}

function keptNote(tokens: number): string {
  if (tokens === 0) return `There are no operator tokens. ${KEPT} were kept.`
  return `${counted(tokens)}, ${KEPT} were kept. If somebody else may have a token, end all of them: fleetgate operator reset --tokens`
}

function counted(tokens: number): string {
  return `${tokens} operator token${tokens === 1 ? '' : 's'}`
}
