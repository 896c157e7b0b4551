import { Component, type ReactNode } from 'react';
import { PartMissing, reloadOnce } from './fetch-part.ts';
import { retryParts } from './load-part.ts';

/** The failure, as passed to the fallback. */
export type Problem = {
  /** Whether a file could not be fetched, as opposed to an error in the program. */
  readonly missing: boolean;
  /** Whether the page is about to reload automatically. */
  readonly reloading: boolean;
  /** Tries again in place. From the second time on, reloads the page. */
  readonly retry: () => void;
};
type Props = {
  /** When this value changes, the children render again. */
  readonly page: string;
  /** Reloads the page automatically, once, if a file is missing. */
  readonly reloads?: boolean;
  readonly fallback: (problem: Problem) => ReactNode;
  readonly children: ReactNode;
};
type State = {
  readonly error: unknown;
  readonly broken: boolean;
  readonly reloading: boolean;
  readonly tries: number;
  readonly page: string;
};
const WHOLE = { error: null, broken: false, reloading: false };

/** Shows `fallback` if its children throw or could not be fetched. This is a class because React has no other form of error boundary. */
export class Boundary extends Component<Props, State> {
  override state: State = { ...WHOLE, tries: 0, page: this.props.page };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error, broken: true };
  }

  static getDerivedStateFromProps(props: Props, state: State): State | null {
    if (props.page === state.page) return null;
    // A new page retries parts that could not be fetched.
    if (state.broken) retryParts();
    return { ...WHOLE, tries: 0, page: props.page };
  }

  override componentDidMount(): void {
    window.addEventListener('online', this.backOnline);
  }
  override componentWillUnmount(): void {
    window.removeEventListener('online', this.backOnline);
  }
  override componentDidCatch(error: unknown): void {
    if (this.props.reloads && error instanceof PartMissing && navigator.onLine && reloadOnce())
      this.setState({ reloading: true });
  }

  private readonly backOnline = (): void => {
    if (this.state.error instanceof PartMissing) this.again();
  };
  private again(): void {
    retryParts();
    this.setState(WHOLE);
  }
  private readonly retry = (): void => {
    // A browser may cache a failed file until the page is reloaded.
    if (this.state.tries > 0 && navigator.onLine) return window.location.reload();
    this.setState({ tries: this.state.tries + 1 });
    return this.again();
  };

  override render(): ReactNode {
    const { broken, error, reloading } = this.state;
    if (!broken) return this.props.children;
    return this.props.fallback({ missing: error instanceof PartMissing, reloading, retry: this.retry });
  }
}
