import { Component, type ReactNode } from 'react'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/state/Empty.tsx'
import { Skeleton } from '../ui/state/Skeleton.tsx'
import './Loading.css'

/** While the program of a page is loaded. That is short, so it shows nothing at first. */
export function Loading() {
  return (
    <div className="loading">
      <Skeleton />
    </div>
  )
}

/** Shown where the program of a page could not be loaded: the server is away, or has another version by now. */
export class PageFailure extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <Empty
        title={t('This page could not be loaded')}
        action={
          <Button look="primary" onClick={() => location.reload()}>
            {t('Load again')}
          </Button>
        }
      >
        {t('The server does not answer, or it was updated.')}
      </Empty>
    )
  }
}
