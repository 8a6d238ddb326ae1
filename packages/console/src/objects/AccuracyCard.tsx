import { useState } from 'react'
import { ACCURACY_RULES } from '../../../server/src/base/domain/monitored-object.ts'
import { useServer } from '../api/queries.ts'
import type { Accuracy, AccuracyPatch, FleetObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { SaveOrDiscard } from '../ui/dialog/SaveOrDiscard.tsx'
import { Form } from '../ui/form/Form.tsx'
import { useDraft } from '../ui/form/use-draft.ts'
import { AccuracyFields } from './AccuracyFields.tsx'
import { PreviewPanel } from './PreviewPanel.tsx'
import { RecomputeOffer } from './RecomputeOffer.tsx'
import { useSaveObject } from './use-save-object.ts'

type AccuracyCardProps = { organization: OrganizationSummary; object: FleetObject }

export function AccuracyCard({ organization, object }: AccuracyCardProps) {
  const { draft, patch, changed, set, reset } = useDraft<Accuracy>(object.accuracy)
  const [offered, setOffered] = useState(false)
  const [seen, setSeen] = useState(false)
  const server = useServer()
  const save = useSaveObject(organization.id, object.id, reset)
  return (
    <Card
      title={t('Accuracy')}
      lead={t(
        'These settings control which packets are accepted and when the vehicle counts as moving. Change a setting to preview its effect on a recent day before you save.',
      )}
    >
      <Form
        saving={save}
        isReady={changed}
        rules={ACCURACY_RULES}
        onSubmit={() => {
          const accuracy: AccuracyPatch = patch
          save.mutate({ accuracy }, { onSuccess: () => setOffered(true) })
        }}
      >
        <AccuracyFields
          accuracy={draft}
          timeZones={server.data?.time_zones ?? []}
          onChange={(name, value) => {
            set(name, value)
            setSeen(true)
            setOffered(false)
          }}
        />
        {seen && changed && server.data !== undefined && (
          <PreviewPanel
            organization={organization}
            object={object}
            server={server.data}
            accuracy={patch}
          />
        )}
        <SaveOrDiscard action={t('Save accuracy')} saving={save} isChanged={changed} reset={reset}>
          {!changed && !offered && (
            <Button look="quiet" onClick={() => setOffered(true)}>
              {t('Recompute…')}
            </Button>
          )}
        </SaveOrDiscard>
      </Form>
      {offered && (
        <RecomputeOffer
          organization={organization.id}
          object={object}
          onDone={() => setOffered(false)}
        />
      )}
    </Card>
  )
}
