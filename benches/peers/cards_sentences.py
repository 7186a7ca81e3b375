# Cuts a text into sentences: library, file. Prints seconds, sentences, the most MB held.
import resource, sys, time

text = open(sys.argv[2], encoding="utf-8").read()
if sys.argv[1] == "pysbd":
    import pysbd
    cut = pysbd.Segmenter(language="en", clean=False).segment
else:
    # Without its trained data, which would have to be fetched: the algorithm is the same.
    from nltk.tokenize.punkt import PunktSentenceTokenizer
    cut = PunktSentenceTokenizer().tokenize
start = time.perf_counter()
sentences = cut(text)
took = time.perf_counter() - start
print(took, len(sentences), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
