import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { change } from '../api/client.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { forgetUnsaved } from '../ui/page/navigation.ts'

export function DeleteOrganization({ organization }: { organization: OrganizationSummary }) {
  const { id, name, objects, keys } = organization
  const [asked, setAsked] = useState(false)
  const [, navigate] = useLocation()
  const client = useQueryClient()
  return (
    <Card
      danger
      title={t('Delete organization')}
      lead={t(
        'Deletes {{name}}, including {{count, number}} objects and all positions, places, keys and tokens.',
        { name, count: objects },
      )}
    >
      <div className="row">
        <Button look="danger" onClick={() => setAsked(true)}>
          {t('Delete organization…')}
        </Button>
      </div>
      {asked && (
        <Confirm
          title={t('Delete {{name}}?', { name })}
          action={t('Delete organization')}
          typed={name}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await change('DELETE', `/organizations/${id}`)
            forgetUnsaved()
            navigate('/')
            client.removeQueries({ queryKey: ['organization', id] })
          }}
          refreshes={[['organizations']]}
          done={t('{{name}} was deleted.', { name })}
        >
          <p>
            {t(
              'This also deletes {{count, number}} objects and all positions, geofences, routes and sites.',
              { count: objects },
            )}{' '}
            {t('{{count, number}} API keys and all feed tokens stop working immediately.', {
              count: keys,
            })}
          </p>
          <p>{t('Only a backup can undo this.')}</p>
        </Confirm>
      )}
    </Card>
  )
}
