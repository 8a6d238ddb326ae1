import { Component, type ReactNode } from 'react'

type LoadFailureProps = {
  /** Another path is another try. */
  path?: string
  failed: ReactNode
  children: ReactNode
}

/** Shows `failed` in place of a part whose program could not be loaded: the server is away, or was updated. */
export class LoadFailure extends Component<LoadFailureProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidUpdate(before: LoadFailureProps) {
    if (this.state.hasFailed && before.path !== this.props.path) this.setState({ hasFailed: false })
  }

  override render() {
    return this.state.hasFailed ? this.props.failed : this.props.children
  }
}
