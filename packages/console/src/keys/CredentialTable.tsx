import type { CredentialKind } from '../api/queries.ts'
import type { Credential } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import { count } from '../ui/format.ts'
import type { RowAction } from '../ui/table/RowMenu.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { useNow } from '../ui/time/clock.ts'
import { Time } from '../ui/time/Time.tsx'
import { discloseeInWords } from './disclosee.ts'
import { OPENS } from './scenarios.ts'
import { ScopeWords } from './scope/ScopeWords.tsx'
import { SENDING_APPS } from './sending-apps.ts'
import { isValid, stateOf } from './state.ts'
import './Disclosee.css'

type CredentialTableProps = {
  /** Null: the deployment, which has feed tokens alone. */
  organization: number | null
  kind: CredentialKind
  rows: Credential[]
  onChangeScope: (credential: Credential) => void
  onChangeDisclosee: (credential: Credential) => void
  onRotate: (credential: Credential) => void
  onRevoke: (credential: Credential) => void
}

export function CredentialTable(props: CredentialTableProps) {
  const { organization, kind, rows } = props
  const now = useNow()
  const access: Column<Credential> = {
    name: t('Access'),
    cell: ({ scope, scenario }) =>
      scenario === null ? (
        <ScopeWords organization={organization!} scope={scope} />
      ) : (
        OPENS[scenario]
      ),
  }
  const sender: Column<Credential> = {
    name: t('Sender'),
    cell: ({ client }) => SENDING_APPS[client ?? 'any'],
  }
  const columns: Column<Credential>[] = [
    { name: t('Name'), cell: (each) => <KeyAndDisclosee credential={each} /> },
    kind === 'keys' ? access : sender,
    { name: t('Expires'), cell: (each) => <Until credential={each} now={now} /> },
    { name: t('Last used'), cell: ({ last_used_at }) => <Time value={last_used_at} as="ago" /> },
    {
      name: t('Requests, 30 days'),
      number: true,
      cell: (each) => count(each.requests_30_days),
    },
  ]
  return (
    <Table
      label={kind === 'keys' ? t('API keys') : t('Feed tokens')}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      isOff={(each) => !isValid(each, now)}
      menu={(each) => ({
        label: t('Actions for {{name}}', { name: each.name }),
        items: isValid(each, now) ? actionsOf(props, each) : [],
      })}
    />
  )
}

function actionsOf(props: CredentialTableProps, credential: Credential): RowAction[] {
  const { kind, onChangeScope, onChangeDisclosee, onRotate, onRevoke } = props
  const isKey = kind === 'keys'
  const action = (name: string, onAction: (credential: Credential) => void, isDanger = false) => ({
    ...{ name, isDanger },
    onAction: () => onAction(credential),
  })
  return [
    ...(isKey && credential.scenario === null ? [action(t('Change access'), onChangeScope)] : []),
    ...(isKey ? [action(t('Change recipient'), onChangeDisclosee)] : []),
    ...(credential.lacks_purpose ? [] : [action(t('Rotate'), onRotate)]),
    action(t('Revoke'), onRevoke, true),
  ]
}

function KeyAndDisclosee({ credential }: { credential: Credential }) {
  const { name, prefix, last_four, lacks_purpose: lacksPurpose } = credential
  const disclosee = discloseeInWords(credential)
  return (
    <div>
      {name}
      <div className="soft small">
        <code>{`${prefix}…${last_four}`}</code>
      </div>
      {disclosee !== '' && (
        <div className="soft small key-disclosee">{t('For {{disclosee}}', { disclosee })}</div>
      )}
      {lacksPurpose && (
        <div>
          <Badge kind="warn">{t('No purpose given')}</Badge>
        </div>
      )}
    </div>
  )
}

function Until({ credential, now }: { credential: Credential; now: number }) {
  switch (stateOf(credential, now)) {
    case 'revoked':
      return (
        <span>
          <Badge>{t('Revoked')}</Badge> <Time value={credential.revoked_at} as="day" />
        </span>
      )
    case 'expired':
      return (
        <span>
          <Badge>{t('Expired')}</Badge> <Time value={credential.expires_at} as="day" />
        </span>
      )
    case 'ending':
      return (
        <span>
          <Badge kind="warn">{t('Expires soon')}</Badge>{' '}
          <Time value={credential.expires_at} as="minute" />
        </span>
      )
    case 'active':
      return <Time value={credential.expires_at} as="day" />
  }
}
