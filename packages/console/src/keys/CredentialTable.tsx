import type { CredentialKind } from '../api/queries.ts'
import type { Credential } from '../api/types.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { count } from '../ui/format.ts'
import { type Column, Table } from '../ui/table/Table.tsx'
import { useNow } from '../ui/time/clock.ts'
import { Time } from '../ui/time/Time.tsx'
import { grantInWords } from './grant.ts'
import { OPENS } from './scenarios.ts'
import { ScopeWords } from './scope/ScopeWords.tsx'
import { SENDING_APPS } from './sending-apps.ts'
import { isValid, stateOf } from './state.ts'
import './Grant.css'

type CredentialTableProps = {
  kind: CredentialKind
  rows: Credential[]
  onChangeScope: (credential: Credential) => void
  onChangeGrant: (credential: Credential) => void
  onRotate: (credential: Credential) => void
  onRevoke: (credential: Credential) => void
}

export function CredentialTable(props: CredentialTableProps) {
  const { kind, rows } = props
  const now = useNow()
  const requests: Column<Credential>[] = [
    { name: 'Requests today', number: true, cell: (each) => count(each.requests_today) },
    { name: '30 days', number: true, cell: (each) => count(each.requests_30_days) },
  ]
  const opens: Column<Credential> = {
    name: 'Opens',
    cell: ({ scope, scenario }) =>
      scenario === null ? <ScopeWords scope={scope} /> : OPENS[scenario],
  }
  const sender: Column<Credential> = {
    name: 'Sender',
    cell: ({ client }) => SENDING_APPS[client ?? 'any'],
  }
  const columns: Column<Credential>[] = [
    { name: 'Name', cell: (each) => <NameAndGrant credential={each} /> },
    { name: 'Begins and ends', cell: (each) => <code>{`${each.prefix}…${each.last_four}`}</code> },
    kind === 'keys' ? opens : sender,
    { name: 'Issued', cell: ({ created_at }) => <Time value={created_at} as="day" /> },
    { name: 'Good until', cell: (each) => <Until credential={each} now={now} /> },
    { name: 'Last used', cell: ({ last_used_at }) => <Time value={last_used_at} as="ago" /> },
    ...requests,
    {
      name: 'Actions',
      actions: true,
      cell: (each) => isValid(each, now) && <RowActions {...props} credential={each} />,
    },
  ]
  return (
    <Table
      label={kind === 'keys' ? 'API keys' : 'Feed tokens'}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      isOff={(each) => !isValid(each, now)}
    />
  )
}

type RowActionsProps = Omit<CredentialTableProps, 'rows'> & { credential: Credential }

function RowActions(props: RowActionsProps) {
  const { kind, credential, onChangeScope, onChangeGrant, onRotate, onRevoke } = props
  return (
    <>
      {kind === 'keys' && credential.scenario === null && (
        <Button
          small
          look="quiet"
          aria-label={`Change scope of ${credential.name}`}
          onClick={() => onChangeScope(credential)}
        >
          Scope
        </Button>
      )}
      {kind === 'keys' && (
        <Button
          small
          look="quiet"
          aria-label={`Change recipient of ${credential.name}`}
          onClick={() => onChangeGrant(credential)}
        >
          Recipient
        </Button>
      )}
      {!credential.lacks_purpose && (
        <Button
          small
          look="quiet"
          aria-label={`Rotate ${credential.name}`}
          onClick={() => onRotate(credential)}
        >
          Rotate
        </Button>
      )}
      <Button
        small
        look="remove"
        aria-label={`Revoke ${credential.name}`}
        onClick={() => onRevoke(credential)}
      >
        Revoke
      </Button>
    </>
  )
}

function NameAndGrant({ credential }: { credential: Credential }) {
  const { name, lacks_purpose: lacksPurpose } = credential
  const grant = grantInWords(credential)
  return (
    <div>
      {name}
      {grant !== '' && <div className="soft small key-grant">For {grant}</div>}
      {lacksPurpose && (
        <div>
          <Badge kind="warn">Lacks purpose</Badge>
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
          <Badge>Revoked</Badge> <Time value={credential.revoked_at} as="day" />
        </span>
      )
    case 'expired':
      return (
        <span>
          <Badge>Expired</Badge> <Time value={credential.expires_at} as="day" />
        </span>
      )
    case 'ending':
      return (
        <span>
          <Badge kind="warn">Ends soon</Badge> <Time value={credential.expires_at} as="minute" />
        </span>
      )
    case 'active':
      return <Time value={credential.expires_at} as="day" none="no end" />
  }
}
