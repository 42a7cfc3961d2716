#!/usr/bin/python3
"""Opens a report page in Chromium, uses everything on it, and looks at what happens.

    report_page_test.py PAGE.html OUTPUT_FOLDER

Leaves screenshots (light.png, dark.png, phone.png, ...) and page.pdf in OUTPUT_FOLDER. Exit status: 0 when all checks held,
1 with a line for the first that did not, 77 when there is no browser to test with.
"""

import base64
import os
import pathlib
import shutil
import sys
import time

ABSENT = 77

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("skipped: python3-selenium is not installed")
    sys.exit(ABSENT)


class Failure(Exception):
    """A check that did not hold."""


def check(holds, what):
    if not holds:
        raise Failure(what)


def start_browser(chromium, driver):
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1366,900"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # Chromium refuses to run as root with it
    for argument in arguments:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(driver), options=options)


class Page:
    """The page as a reader sees it."""

    def __init__(self, browser, address, output):
        self.browser = browser
        self.address = address
        self.output = output

    def open(self, width=1366, height=900, dark=False, fragment=""):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.browser.get("about:blank")  # so that nothing of the last visit is left
        self.browser.get(self.address + fragment)
        self.settle()

    def run(self, script, *arguments):
        return self.browser.execute_script("return " + script, *arguments)

    def settle(self):
        """Waits until every panel is drawn as the switches say."""
        for _ in range(200):
            time.sleep(0.05)
            if self.run("document.getElementById('figures').getAttribute('aria-busy') === 'false' && "
                        "[...document.querySelectorAll('.plot svg')].every(s => s.childElementCount)"):
                return
        raise Failure("the panels were not drawn within ten seconds")

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        found = self.all(selector)
        check(found, f"there is no {selector}")
        return found[0]

    def click(self, selector):
        element = self.one(selector)
        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        element.click()
        self.settle()

    def curves(self):
        """The lines of the first panel: method's number to its path."""
        return self.run("Object.fromEntries([...document.querySelector('.plot svg').querySelectorAll('.curve')]"
                        ".map(g => [g.dataset.method, [...g.querySelectorAll('.median, .run')].map(p => p.getAttribute('d')).join()]))")

    def text(self, selector):
        return self.run("document.querySelector(arguments[0]).textContent", selector)

    def screenshot(self, name, whole=False):
        size = self.run("[innerWidth, document.documentElement.scrollHeight]")
        settings = {"format": "png"}
        if whole:
            settings.update(captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": size[0], "height": min(size[1], 8000), "scale": 1})
        data = self.browser.execute_cdp_cmd("Page.captureScreenshot", settings)["data"]
        (self.output / name).write_bytes(base64.b64decode(data))


def test_curves_are_there(page):
    page.open()
    page.screenshot("light.png")
    curves = page.curves()
    check(curves, "the first panel shows no curves")
    for method, path in curves.items():
        check(path.startswith("M") and "NaN" not in path and "Infinity" not in path, f"curve {method} has a broken path: {path[:80]}")
    methods = page.run("new Set([...document.querySelectorAll('.figure')][0].querySelectorAll('.legend .method')).size")
    check(methods >= len(curves), "the legend lists fewer methods than there are curves")
    check(page.text(".plot svg title") and page.text(".plot svg desc"), "the plot has no title or description")


def test_switches_change_the_curves(page):
    page.open()
    for name in page.run("[...new Set([...document.querySelectorAll('#switches input')].map(i => i.name))]"):
        page.open()
        drawings = {}
        for identifier in page.run("[...document.getElementsByName(arguments[0])].filter(i => !i.disabled).map(i => i.id)", name):
            before = page.run("document.querySelector('.plot').innerHTML")
            was = page.run("document.getElementById(arguments[0]).checked", identifier)
            page.click(f"label[for='{identifier}']")
            is_now = page.run("document.getElementById(arguments[0]).checked", identifier)
            drawings[identifier] = page.run("document.querySelector('.plot').innerHTML")
            if is_now != was:
                check(drawings[identifier] != before or name == "band", f"switch {identifier} did not change the plot")
            if identifier.startswith("axis-"):
                check(page.run("document.querySelector('.plot svg .axis').textContent") == identifier[5:],
                      f"the x axis is not labelled {identifier[5:]}")
            kept = identifier.split("-")[1] in page.run("location.hash")
            check(is_now == was or kept == is_now, f"{identifier} is not kept in the address")
        if name in ("quantity", "axis"):
            check(len(set(drawings.values())) == len(drawings), f"two choices of '{name}' show the same")
    check(not page.run("document.querySelector('.plot').innerHTML.includes('NaN')"), "a coordinate is not a number")


def test_log_axis_spreads_decades_evenly(page):
    page.open(fragment="#log=logY")
    ticks = page.run("[...document.querySelectorAll('.plot svg')[0].querySelectorAll('.labels text[text-anchor=end]:not(.axis)')]"
                     ".map(t => [t.textContent, Number(t.getAttribute('y'))])")
    check(len(ticks) >= 2, "a log axis has fewer than two labels")
    page.click("label[for='log-logY']")
    linear = page.run("[...document.querySelectorAll('.plot svg')[0].querySelectorAll('.labels text[text-anchor=end]:not(.axis)')]"
                      ".map(t => [Number(t.textContent.replace('−', '-')), Number(t.getAttribute('y'))])")
    numbers = [pair for pair in linear if pair[0] is not None]
    check(len(numbers) >= 3, "a linear axis has fewer than three labels")
    ratios = {round((b[1] - a[1]) / (b[0] - a[0]), 1) for a, b in zip(numbers, numbers[1:])}
    check(max(ratios) - min(ratios) <= 0.02 * abs(max(ratios, key=abs)) + 0.2, f"a linear axis is not linear: {linear}")


def test_seeds(page):
    if not page.run("!!document.getElementById('band-range')"):
        return
    page.open()
    bands = lambda: page.run("document.querySelectorAll('.plot svg .band').length")
    runs = lambda: page.run("document.querySelectorAll('.plot svg .run').length")
    if page.run("[...document.querySelectorAll('.plot svg')].some(s => s.querySelector('.band'))"):
        check(bands() > 0 and runs() == 0, "min-max shows no bands")
        page.click("label[for='band-median']")
        check(bands() == 0 and runs() == 0, "'median' still shows bands")
        page.click("label[for='band-each']")
        check(runs() > 0, "'each run' shows no runs")


def test_hover(page):
    page.open()
    page.run("document.querySelector('.plot').scrollIntoView({block: 'center', behavior: 'instant'})")
    target = page.one(".plot .catch")
    ActionChains(page.browser).move_to_element(target).perform()
    time.sleep(0.2)
    check(page.run("!document.querySelector('.tip').hidden"), "no values are shown under the pointer")
    tip = page.text(".plot .tip")
    names = page.run("[...document.querySelectorAll('.figure')][0].innerText")
    check(page.text(".plot .tip strong") in names, f"the tooltip names no method of the legend: {tip}")
    check("epochs" in tip or "seconds" in tip or "iterations" in tip, f"the tooltip gives no x value: {tip}")
    check("seeds" in tip, f"the tooltip does not count seeds: {tip}")
    check(page.run("document.querySelector('.plot .pointer').getAttribute('visibility')") == "visible", "there is no crosshair")
    page.screenshot("hover.png")
    ActionChains(page.browser).move_to_element(page.one("h1")).perform()
    time.sleep(0.2)
    check(page.run("document.querySelector('.tip').hidden"), "the tooltip stays when the pointer has left")


def test_keyboard(page):
    page.open()
    plot = page.one(".plot svg")
    page.run("arguments[0].focus()", plot)
    plot.send_keys(Keys.ARROW_LEFT)
    first = page.text(".plot .tip")
    check(first, "arrow keys show no values")
    plot.send_keys(Keys.ARROW_LEFT)
    check(page.text(".plot .tip") != first, "the left arrow does not move along the curve")
    plot.send_keys(Keys.ESCAPE)
    check(page.run("document.querySelector('.tip').hidden"), "Escape does not close the tooltip")
    toggle = page.one(".legend .method")
    page.run("arguments[0].focus()", toggle)
    toggle.send_keys(Keys.SPACE)
    page.settle()
    check(page.one(".legend .method").get_attribute("aria-pressed") == "false", "the space key does not toggle a method")
    unnamed = page.run("[...document.querySelectorAll('button, input')].filter(e => !(e.textContent.trim() "
                       "|| e.getAttribute('aria-label') || e.labels?.length)).length")
    check(unnamed == 0, f"{unnamed} buttons or inputs have no name")


def test_zoom(page):
    page.open()
    page.run("document.querySelector('.plot').scrollIntoView({block: 'center', behavior: 'instant'})")
    before = page.curves()
    box = page.one(".plot .catch")
    ActionChains(page.browser).move_to_element_with_offset(box, -60, -40).click_and_hold().move_by_offset(100, 70).release().perform()
    page.settle()
    check(page.curves() != before, "dragging does not zoom")
    ActionChains(page.browser).double_click(page.one(".plot .catch")).perform()
    page.settle()
    check(page.curves() == before, "a double click does not undo the zoom")


def test_legend(page):
    page.open()
    before = page.curves()
    number = next(iter(before))
    selector = f".legend .method[data-method='{number}']"
    page.click(selector)
    after = page.curves()
    check(number not in after and len(after) == len(before) - 1, "a click in the legend does not hide the method")
    states = {button.get_attribute("aria-pressed") for button in page.all(selector)}
    check(states == {"false"}, "a hidden method is not shown as hidden in all legends")
    page.click(selector)
    check(page.curves() == before, "a second click does not bring the method back")
    if len(before) > 1:
        ActionChains(page.browser).double_click(page.one(selector)).perform()
        page.settle()
        check(list(page.curves()) == [number], "a double click does not isolate the method")
        page.click(".legend [data-choice=all]")
        page.run("document.querySelector(arguments[0] + ' + .only').click()", selector)
        page.settle()
        check(list(page.curves()) == [number], "'only' does not isolate the method")
    page.click(".legend [data-choice=none]")
    check(not page.curves(), "'None' leaves curves")
    page.click(".legend [data-choice=all]")
    check(len(page.curves()) == len(before), "'All' does not bring all curves back")
    widths = page.run("['.curve.emphasis .median', '.curve:not(.emphasis) .median'].map(s => "
                      "Number(document.querySelector(s)?.getAttribute('stroke-width') ?? NaN))")
    if None not in widths:
        check(widths[0] > widths[1], "emphasised methods are not drawn thicker")
    styles = page.run("[...document.querySelectorAll('.figure')][0].querySelectorAll('.legend .line path').length")
    different = page.run("new Set([...[...document.querySelectorAll('.figure')][0].querySelectorAll('.legend .line path')]"
                         ".map(p => p.getAttribute('style') + p.getAttribute('stroke-dasharray') + p.getAttribute('stroke-width'))).size")
    check(styles == different, f"{styles} methods share {different} line styles")


def test_enlarge(page):
    page.open()
    if not page.all(".enlarge"):
        return
    width = page.run("document.querySelector('.plot').clientWidth")
    page.click(".enlarge")
    check(page.run("document.querySelector('.plot').clientWidth") > 2 * width, "a panel does not grow")
    page.screenshot("enlarged.png")
    page.click(".enlarge")


def test_tables_sort(page):
    page.open()
    tables = page.run("document.querySelectorAll('.result table').length")
    for table in range(tables):
        heads = page.run("[...document.querySelectorAll('.result table')[arguments[0]].tHead.rows[0].cells].map(h => h.className)", table)
        for place, kind in enumerate(heads):
            button = page.all(".result table")[table].find_elements(By.CSS_SELECTOR, "th button")[place]
            page.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", button)
            for direction in ("ascending", "descending"):
                button.click()
                state = button.find_element(By.XPATH, "..").get_attribute("aria-sort")
                check(state == direction, f"column {place} says {state}, not {direction}")
                values = page.run("[...document.querySelectorAll('.result table')[arguments[0]].tBodies[0].rows]"
                                  ".map(r => r.cells[arguments[1]].dataset.value)", table, place)
                if kind != "number":
                    continue
                numbers = [float(value) for value in values if value != ""]
                check(numbers == sorted(numbers, reverse=direction == "descending"), f"column {place} is not sorted: {values}")
                check("" not in values[:len(numbers)], "missing values do not come last")


def test_copy(page):
    page.open()
    page.browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    page.click("#copy")
    check(page.text("#copy") == "Copied", "the copy button does not answer")
    copied = page.browser.execute_async_script("navigator.clipboard.readText().then(arguments[0], () => arguments[0](null))")
    if copied is not None:
        check(copied == page.text("#command"), f"what was copied is not the command: {copied}")


def test_themes(page):
    ink = "getComputedStyle(document.body).backgroundColor"
    page.open(dark=True)
    dark = page.run(ink)
    page.screenshot("dark.png")
    page.open()
    light = page.run(ink)
    check(light != dark, "the page does not follow the system's dark theme")
    page.click("#theme")
    check(page.run(ink) == dark, "the theme button does not switch to dark")
    check(page.one("#theme").get_attribute("aria-pressed") == "true", "the theme button does not say so")
    page.click("#theme")
    check(page.run(ink) == light, "the theme button does not switch back")
    page.run("localStorage.clear()")


def test_phone(page):
    page.open(width=360, height=740)
    page.screenshot("phone.png", whole=True)
    wide = page.run("document.documentElement.scrollWidth")
    check(wide <= 360, f"at 360 pixels the page is {wide} wide and scrolls sideways")
    columns = page.run("new Set([...document.querySelectorAll('.panel')].map(p => Math.round(p.getBoundingClientRect().left))).size")
    check(columns == 1, f"at 360 pixels there are {columns} columns of panels")
    boxes = page.run("[...document.querySelectorAll('.table-box')].every(b => b.getBoundingClientRect().right <= 360)")
    check(boxes, "a table leaves its box on a phone")


def test_print(page):
    page.open(dark=True)
    data = base64.b64decode(page.browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"])
    (page.output / "page.pdf").write_bytes(data)
    check(data.startswith(b"%PDF") and len(data) > 20000, "printing gives no PDF")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    check(page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "paper is not white")
    check(page.run("getComputedStyle(document.querySelector('#switches')).display") == "none", "the switches are printed")
    drawn = page.run("[...document.querySelectorAll('.plot svg')].every(s => s.childElementCount > 0)")
    check(drawn, "panels are missing in print")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_nothing_in_a_name_runs(page):
    page.open()
    check(page.curves(), "the page's own script does not run")
    time.sleep(0.5)
    check(page.run("document.querySelectorAll('.pictures script').length") > 0, "the picture has no script in it to try")
    check(page.run("window.hit") is None, "a script in a name has run")
    check(page.run("document.querySelectorAll('header script, .notes script, table script, .legend script, header img, table img')"
                   ".length") == 0, "a name has become markup")
    page.run("document.querySelector('.plot .catch').scrollIntoView({block: 'center', behavior: 'instant'})")
    ActionChains(page.browser).move_to_element(page.one(".plot .catch")).perform()
    time.sleep(0.2)
    check(page.run("window.hit") is None, "a script in a name has run under the pointer")
    policies = page.run("document.querySelector('meta[http-equiv]').content")
    check("default-src 'none'" in policies and "script-src 'nonce-" in policies, f"another policy: {policies}")


def check_logs(browser, complaints=False):
    messages = [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    check(complaints or not messages, f"the console has messages: {messages[:3]}")
    for entry in browser.get_log("performance"):
        text = entry["message"]
        if '"Network.requestWillBeSent"' not in text:
            continue
        local = '"url":"file://' in text or '"url":"data:' in text or '"url":"about:' in text
        check(local, f"the page asks the network: {text[:300]}")


def main():
    if len(sys.argv) != 3:
        print("usage: report_page_test.py PAGE.html OUTPUT_FOLDER", file=sys.stderr)
        return 2
    page_file = pathlib.Path(sys.argv[1]).resolve()
    output = pathlib.Path(sys.argv[2])
    chromium = shutil.which("chromium")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        print("skipped: chromium and chromium-driver are not installed")
        return ABSENT
    if not page_file.is_file():
        print(f"there is no page {page_file}", file=sys.stderr)
        return 2
    output.mkdir(parents=True, exist_ok=True)
    browser = start_browser(chromium, driver)
    try:
        page = Page(browser, page_file.as_uri(), output)
        tests = [test_curves_are_there, test_switches_change_the_curves, test_log_axis_spreads_decades_evenly, test_seeds,
                 test_hover, test_keyboard, test_zoom, test_legend, test_enlarge, test_tables_sort, test_copy, test_themes,
                 test_phone, test_print]
        hostile = page_file.stem == "hostile"  # of names that would be scripts: the browser complains of them
        if hostile:
            tests = [test_nothing_in_a_name_runs]
        for test in tests:
            start = time.monotonic()
            try:
                test(page)
                check_logs(browser, complaints=hostile)
            except Failure as failure:
                page.screenshot("failure.png")
                print(f"FAILED {test.__name__}: {failure}")
                return 1
            print(f"ok {test.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
    finally:
        browser.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
