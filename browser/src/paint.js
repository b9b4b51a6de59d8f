// Runs in the top frame, in a script world of its own: says when the document has painted text or a picture.
{
  const { vitrinePaint } = window.webkit.messageHandlers;
  const observer = new PerformanceObserver(() => {
    observer.disconnect();
    vitrinePaint.postMessage(null);
  });
  observer.observe({ type: 'paint', buffered: true });
}
