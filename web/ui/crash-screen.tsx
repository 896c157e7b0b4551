import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';

type Props = { readonly page: string; readonly children: ReactNode };
type State = { readonly broken: boolean; readonly page: string };

/**
 * What stands there when a page breaks or could not be fetched, instead of nothing.
 * A class, as React offers no other way to catch these errors.
 */
export class CrashScreen extends Component<Props, State> {
  override state: State = { broken: false, page: this.props.page };

  static getDerivedStateFromError(): Pick<State, 'broken'> {
    return { broken: true };
  }

  /** Another page, another try. */
  static getDerivedStateFromProps(props: Props, state: State): State | null {
    return props.page === state.page ? null : { broken: false, page: props.page };
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children;
    return (
      <main className="mx-auto grid min-h-dvh max-w-xl place-content-center gap-6 px-6">
        <h1 className="text-5xl sm:text-7xl">The needle jumped</h1>
        <p className="text-fog">
          This page could not be shown. Nothing you booked or paid is lost. Load it again; if that does not help, check
          your connection.
        </p>
        <Button className="justify-self-start" onClick={() => window.location.reload()}>
          Load again
        </Button>
      </main>
    );
  }
}
